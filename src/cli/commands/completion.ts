import type { Command } from 'commander';
import { bashScript } from '../completion/bash.ts';
import { fishScript } from '../completion/fish.ts';
import { shapeOf, type CommandShape } from '../completion/command-tree.ts';
import { zshScript } from '../completion/zsh.ts';
import type { Output } from '../output/output.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

const scripts: Record<Shell, (shape: CommandShape) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export function completion(output: Output, program: Command, shell: Shell): void {
  const script = scripts[shell](shapeOf(program));
  output.result({ shell, script }, script);
}
