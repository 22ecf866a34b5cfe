/** Given before the automatic compaction, while the agent still knows what it would lose. */
export function fillWarning(percent: number): string {
  return `The context is at ${percent} % of the point where Claude Code compacts it. Save what later phases need now: \`holdfast update --set key=value\` for facts, \`--remind\` for rules, \`--read\` for files.`;
}
