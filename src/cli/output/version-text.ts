/** What a report of a fault has to say: which holdfast, on which Node, from where. */
export function versionText(version: string, node: NodeRuntime, folder: string): string {
  return [
    `holdfast ${version}`,
    `Node ${node.version} (${node.execPath})`,
    `runs from ${folder}`,
  ].join('\n');
}

interface NodeRuntime {
  version: string;
  execPath: string;
}
