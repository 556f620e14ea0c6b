import type { Command } from 'commander';
import { ConfigError, readConfig } from '../../../base/config/read-config.ts';
import type { Config } from '../../../base/config/config.ts';
import { version } from '../../../access/http/version.ts';
import { type ExitCode, type Io, printable, writeJson } from '../io.ts';
import { checkServer } from './checks.ts';
import { type Finding, type Machine, thisMachine } from './finding.ts';

/** `weft doctor`: finds faults that keep a server with these settings from working, each with its remedy. */
export function addDoctorCommand(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('doctor')
    .description(
      'check settings, folders, stores, sandbox, editor, model providers, operators and clock, and say what to do about each fault',
    )
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft doctor\n  $ weft doctor --json\n\nExit codes: 0 nothing keeps a server from working, 1 something does, 2 wrong usage.',
    )
    .action(async ({ json }: { json: boolean }) => done(await doctor({ json }, io)));
}

/** Changes nothing, and works beside a running server. */
export async function doctor(
  { json }: { readonly json: boolean },
  io: Io,
  machine: Machine = thisMachine,
): Promise<ExitCode> {
  const findings = [node(), ...(await findingsOf(io, machine))];
  if (json) writeJson(io, { findings });
  else for (const finding of findings) print(finding, io);
  return findings.some(({ state }) => state === 'error') ? 1 : 0;
}

async function findingsOf(io: Io, machine: Machine): Promise<Finding[]> {
  const { config, findings } = settings(io);
  return config === undefined ? findings : [...findings, ...(await checkServer(config, machine))];
}

function node(): Finding {
  const says = `Weft ${version} on Node ${process.versions.node}, ${process.platform} ${process.arch}`;
  return { about: 'version', state: 'ok', says };
}

/** Wrong settings keep everything else from being checked. */
function settings(io: Io): { config?: Config; findings: Finding[] } {
  const about = 'settings';
  try {
    const { config, warnings } = readConfig({ env: io.env, cwd: io.cwd, terminal: false });
    if (warnings.length === 0) return { config, findings: [{ about, state: 'ok', says: 'They are valid.' }] };
    const todo = 'docs/reference/settings.md lists all settings.';
    return { config, findings: warnings.map((says) => ({ about, state: 'warning', says, todo })) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const todo = 'Correct it in the environment or in weft.config.json; the rest is checked after that.';
    return { findings: error.mistakes.map((says) => ({ about, state: 'error', says, todo })) };
  }
}

function print({ about, state, says, todo }: Finding, io: Io): void {
  io.stdout.write(`${state.padEnd(8)} ${about.padEnd(9)} ${printable(says)}\n`);
  if (todo !== undefined) io.stdout.write(`${' '.repeat(19)}${printable(todo)}\n`);
}
