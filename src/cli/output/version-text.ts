/** What a bug report needs: the version of holdfast, the Node it runs on, and its folder. */
export interface VersionReport {
  version: string;
  node_version: string;
  node_path: string;
  folder: string;
}

export function versionReport(version: string, node: NodeRuntime, folder: string): VersionReport {
  return { version, node_version: node.version, node_path: node.execPath, folder };
}

export function versionText({ version, node_version, node_path, folder }: VersionReport): string {
  return [`holdfast ${version}`, `Node ${node_version} (${node_path})`, `runs from ${folder}`].join(
    '\n',
  );
}

interface NodeRuntime {
  version: string;
  execPath: string;
}
