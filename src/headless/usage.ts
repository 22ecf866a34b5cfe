import { formatDuration, pluralize } from '../text/relative-time.ts';
import type { Usage } from './event-types.generated.ts';

export const NO_USAGE: Usage = {
  turns: 0,
  tokens: 0,
  cost_usd: 0,
  seconds: 0,
};

export function sumUsage(a: Usage, b: Usage): Usage {
  return {
    turns: a.turns + b.turns,
    tokens: a.tokens + b.tokens,
    cost_usd: sumCost(a.cost_usd, b.cost_usd),
    seconds: a.seconds + b.seconds,
  };
}

/** Of a turn without a result nobody knows the cost, and then that of the whole is unknown too. */
function sumCost(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

/** `2m, 3 turns, 45k tokens, $0.1234`. */
export function usageText(usage: Usage, separator = ', '): string {
  return [
    formatDuration(usage.seconds * 1000),
    pluralize(usage.turns, 'turn'),
    `${formatTokens(usage.tokens)} tokens`,
    formatCost(usage.cost_usd),
  ].join(separator);
}

/** `980`, `9.8k`, `98k`, `9.8M`. */
function formatTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 10_000) return `${(tokens / 1_000).toFixed(1)}k`;
  if (tokens < 1_000_000) return `${(tokens / 1_000).toFixed(0)}k`;
  return `${(tokens / 1_000_000).toFixed(1)}M`;
}

function formatCost(dollars: number | null): string {
  if (dollars === null) return 'cost unknown';
  // A cheap step would otherwise cost $0.00.
  return `$${dollars.toFixed(dollars < 1 ? 4 : 2)}`;
}
