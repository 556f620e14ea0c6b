import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ID_PATTERN } from '#shared/flow.ts';
import { parseExactly } from '#shared/lost-digits.ts';
import { variablesIn } from '../../../base/adapters/db.ts';
import { StartError } from '../../../base/errors/start-error.ts';
import type { Registry } from '#engine';
import { loadCodeFlows, type LoadedCode, withInline } from '../../../flows/service/code-flows.ts';
import type { Config } from '../../../base/config/config.ts';
import { readConfig } from '../../../base/config/read-config.ts';
import type { FlowFile } from '../../../flows/service/flow-files.ts';
import { loadOperators } from '../../../base/authored/load-operators.ts';
import { groupsOf, openServices, withServices } from '../../../integrations/services/services.ts';
import { servicesInFolder } from '../../../integrations/services/stores.ts';
import { type Io, printable, UsageError } from '../io.ts';

/** The context of commands in their working folder: the server's settings, operators and variables. */
export interface Project {
  readonly config: Config;
  readonly registry: Registry;
  readonly variables: Variables;
  /** Loaded code-first flows, by path. */
  readonly code: ReadonlyMap<string, LoadedCode>;
}

export interface Variables {
  readonly values: Readonly<Record<string, unknown>>;
  /** False if the existing variables are unknown. */
  readonly known: boolean;
}

/** Reads the project; writes nothing. `assignments` (`name=json`) override the variables of the data folder. */
export async function openProject(io: Io, assignments: readonly string[] = []): Promise<Project> {
  const config = readSettings(io);
  const { operators: folder } = config;
  const {
    registry: own,
    problems,
    packages,
  } = await loadOperators({
    builtIn: true,
    folder,
    packages: config.packages,
  });
  for (const { name, problems: faults } of packages)
    for (const { file = '', message } of faults)
      io.stderr.write(`warning: the package ${name}${file && `, ${file}`}: ${printable(message)}\n`);
  for (const { file, line, message } of problems) {
    const place = `${join(config.operators, file)}${line === undefined ? '' : `:${line}`}`;
    io.stderr.write(`warning: the operator file ${place} was skipped: ${message}\n`);
  }
  const services = await openServices(servicesInFolder(config.flows[0] ?? '.'), groupsOf(own));
  services.close();
  for (const { id, message } of services.problems())
    io.stderr.write(`warning: the service ${id} was skipped: ${printable(message)}\n`);
  const registry = withServices(own, services.registry());
  return { config, registry, variables: readVariables(config.data, assignments), code: new Map() };
}

/** The project with the flows in code among these files, loaded in their current state. */
export async function withCode(project: Project, files: readonly FlowFile[]): Promise<Project> {
  const written = files.filter((file) => file.code);
  return written.length === 0 ? project : addCode(project, await loadCodeFlows(written));
}

export function addCode(project: Project, loaded: readonly LoadedCode[]): Project {
  const code = new Map(loaded.map((one) => [one.file.path, one]));
  return { ...project, code, registry: withInline(project.registry, loaded) };
}

/** The server's own settings. Commands serve no editor, so the settings that protect it do not matter here. */
export function readSettings(io: Io): Config {
  return readConfig({ env: { ...io.env, WEFT_EDITOR: 'off' }, cwd: io.cwd, terminal: false }).config;
}

/** Reads the data folder without opening it as a server does, since a server may be running and writing there. */
export function readVariables(data: string, assignments: readonly string[] = []): Variables {
  const kept = keptVariables(join(data, 'db.json'));
  const values = { ...kept, ...Object.fromEntries(assignments.map(assignment)) };
  return { values, known: kept !== undefined || assignments.length > 0 };
}

function keptVariables(file: string): Readonly<Record<string, unknown>> | undefined {
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  try {
    return variablesIn(text);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new UsageError(`${file} is not valid JSON; correct it, or set WEFT_DATA to another folder.`);
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new UsageError(`${file} cannot be read (${code}).`);
  }
}

function assignment(text: string): [string, unknown] {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0));
  if (!ID_PATTERN.test(name)) {
    throw new UsageError(`--var ${text}: write name=json, where the name contains only a-z, 0-9 and _.`);
  }
  try {
    return [name, parseExactly(text.slice(at + 1))];
  } catch (error) {
    throw new UsageError(
      `--var ${name}: the value is not JSON (${(error as Error).message}); a text needs quotes, as in '${name}="text"'.`,
    );
  }
}
