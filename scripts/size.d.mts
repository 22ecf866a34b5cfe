export function limits(): Record<string, number>;
export function measureSize(): Promise<Record<string, number>>;
