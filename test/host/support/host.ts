import { join } from 'node:path';
import { type ClientVersion, installClient } from './client.ts';
import type { Environment } from './environment.ts';
import type { Files } from './folder.ts';
import { createHome, type Home } from './home.ts';
import { type Answer, type Model, startModel } from './model.ts';
import { createProject, type Project } from './project.ts';
import type { Seat } from './seat.ts';
import { print, type PrintOptions, type PrintResult } from './session.ts';
import { openTerminal, type Terminal, type TerminalSize } from './terminal.ts';

export interface HostOptions {
  readonly files?: Files;
  /** Files of the user's home, such as `.claude/settings.json`. */
  readonly homeFiles?: Files;
  readonly git?: boolean;
  readonly answer?: Answer;
  readonly env?: Environment;
  readonly allow?: readonly string[];
  /** The built-in tools that need no permission; by default all that the tests use. */
  readonly tools?: readonly string[];
}

export interface Host {
  readonly project: Project;
  readonly home: Home;
  readonly model: Model;
  /** The same host, with the client launched in another folder; relative to the project's root. */
  at(folder: string): Pick<Host, 'print' | 'terminal'>;
  print(
    prompts: string | readonly string[],
    options?: PrintOptions,
  ): Promise<PrintResult>;
  terminal(args?: readonly string[], size?: TerminalSize): Promise<Terminal>;
  close(): Promise<void>;
}

/** A project, a home and a model for one test, and the client of this version to run in them. */
export async function createHost(
  version: ClientVersion,
  options: HostOptions = {},
): Promise<Host> {
  const client = await installClient(version);
  const project = await createProject(options.files, {
    git: options.git ?? false,
  });
  const home = await createHome(
    [project.beside(''), project.root],
    options.homeFiles,
  );
  const model = await startModel(options.answer);
  const terminals: Terminal[] = [];

  const seatAt = (folder: string): Seat => ({
    client,
    modelUrl: model.url,
    home: home.path,
    cwd: join(project.root, folder),
    env: options.env ?? {},
    allow: options.allow ?? [],
    ...(options.tools === undefined ? {} : { tools: options.tools }),
  });
  const at: Host['at'] = (folder) => ({
    print: (prompts, printOptions) =>
      print(seatAt(folder), prompts, printOptions),
    async terminal(args, size) {
      const terminal = await openTerminal(seatAt(folder), args, size);
      terminals.push(terminal);
      return terminal;
    },
  });

  return {
    project,
    home,
    model,
    at,
    ...at('.'),
    async close() {
      await Promise.all(terminals.map((terminal) => terminal.close()));
      await model.close();
      await Promise.all([project.remove(), home.remove()]);
    },
  };
}
