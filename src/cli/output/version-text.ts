/** What a bug report needs: the version of holdfast, the Node it runs on, and its folder. */
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
