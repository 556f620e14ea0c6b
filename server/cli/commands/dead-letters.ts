import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DeadLetter, Retried, WhichLetters } from '#shared/calls-api.ts';
import { openWeftDb } from '../../adapters/weft-db.ts';
import { createDeadLetters, type DeadLetters } from '../../after-runs/dead-letters.ts';
import { dropLetters } from '../../after-runs/retry-letters.ts';
import { askServer } from '../../control/ask-server.ts';
import { StartError } from '../../errors/start-error.ts';
import { type ExitCode, type Io, printable, UsageError, writeJson } from '../io.ts';
import { readSettings } from '../local/project.ts';
import { lockUnlessServed } from '../dev/served.ts';

/** Which letters a command is about, as it was given. */
export interface Given {
  readonly runs: readonly string[];
  readonly flow?: string;
  readonly json: boolean;
}

/** Most that are listed or dealt with at once. */
const MOST = 500;

/** `weft dead-letters list`: runs that failed for good, newest first. */
export async function listLetters({ flow, json }: Omit<Given, 'runs'>, io: Io): Promise<ExitCode> {
  const { data } = readSettings(io);
  const letters = await withLetters(
    data,
    (own) => own.list({ flow, limit: MOST }),
    () => askServer(data, { do: 'letters.list', flow, limit: MOST }) as Promise<DeadLetter[]>,
  );
  if (json) writeJson(io, letters);
  else if (letters.length === 0) io.stderr.write('There are no dead letters.\n');
  else io.stdout.write(letters.map(letterText).join(''));
  return 0;
}

/** `weft dead-letters drop`: takes them off the list. */
export async function dropGiven(given: Given, io: Io): Promise<ExitCode> {
  const { data } = readSettings(io);
  const which = whichOf(given);
  const { dropped } = await withLetters(
    data,
    (deadLetters) => ({ dropped: dropLetters({ calls: { deadLetters } }, which) }),
    () => askServer(data, { do: 'letters.drop', ...which }) as Promise<{ dropped: number }>,
  );
  if (given.json) writeJson(io, { dropped });
  else io.stderr.write(`Dropped ${dropped}.\n`);
  return 0;
}

/** `weft dead-letters retry`: by the server, which has to run. Code 1 where one could not be tried again. */
export async function retryGiven(
  given: Given & { readonly version: 'same' | 'live' },
  io: Io,
): Promise<ExitCode> {
  const { data } = readSettings(io);
  const which = whichOf(given);
  const told = await withLetters<Retried>(
    data,
    () => {
      throw new StartError('Runs are tried again by the server; start it first.');
    },
    () => askServer(data, { do: 'letters.retry', ...which, version: given.version }) as Promise<Retried>,
  );
  if (given.json) writeJson(io, told);
  else {
    for (const { run, as } of told.retried) io.stdout.write(`${printable(run)} is tried again as ${as}\n`);
    for (const { run, message } of told.failed) io.stderr.write(`${printable(run)}: ${printable(message)}\n`);
  }
  return told.failed.length > 0 ? 1 : 0;
}

function whichOf({ runs, flow }: Given): WhichLetters {
  if (runs.length > 0 !== (flow !== undefined)) return runs.length > 0 ? { runs: [...runs] } : { flow };
  throw new UsageError('Name either runs, or a flow with --flow.');
}

/** Where no server holds the folder it is opened here. */
async function withLetters<T>(
  data: string,
  own: (letters: DeadLetters) => T,
  ask: () => Promise<T>,
): Promise<T> {
  const lock = lockUnlessServed(data);
  if (lock === undefined) return ask();
  try {
    if (!existsSync(join(data, 'weft.db'))) return own(noLetters);
    const db = openWeftDb(data);
    try {
      return own(createDeadLetters(db));
    } finally {
      db.close();
    }
  } finally {
    lock.release();
  }
}

const noLetters: DeadLetters = {
  add: () => {},
  list: () => [],
  oldest: () => [],
  drop: () => false,
  count: () => 0,
};

function letterText({ run, flow, error, failedAt }: DeadLetter): string {
  const place = error.node === undefined ? flow : `${flow}.${error.node}`;
  const when = new Date(failedAt).toISOString();
  return `${run}  ${when}  ${place}\n  ${error.code}: ${printable(error.message)}\n`;
}
