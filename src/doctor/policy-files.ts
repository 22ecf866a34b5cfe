/** Where the host looks for what an administrator has decided. */
export function policyFilesOf(platform: NodeJS.Platform): string[] {
  switch (platform) {
    case 'darwin':
      return ['/Library/Application Support/ClaudeCode/managed-settings.json'];
    case 'win32':
      return ['C:\\Program Files\\ClaudeCode\\managed-settings.json'];
    default:
      return ['/etc/claude-code/managed-settings.json'];
  }
}
