export default function writeValidators(): void;
export function validatorFor(schema: object): string;
