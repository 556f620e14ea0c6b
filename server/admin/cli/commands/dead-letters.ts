import type { DeadLetter, Retried, WhichLetters } from '#shared/calls-api.ts';
import { createDeadLetters, type DeadLetters } from '../../../execution/after-runs/dead-letters.ts';
import { dropLetters } from '../../../execution/after-runs/retry-letters.ts';
import type { Config } from '../../../base/config/config.ts';
import type { OwnData } from '../../control/own-data.ts';
import { type AskServer, needsServer, withData } from '../../control/with-data.ts';
import { type ExitCode, type Io, printable, UsageError, writeJson } from '../io.ts';
import { readSettings } from '../local/project.ts';

/** The dead letters that the user named. */
export interface Given {
  readonly runs: readonly string[];
  readonly flow?: string;
  readonly json: boolean;
}

/** Most dead letters that are listed or handled at once. */
const MOST = 500;

/** `weft dead-letters list`: runs that failed for good, newest first. */
export async function listLetters({ flow, json }: Omit<Given, 'runs'>, io: Io): Promise<ExitCode> {
  const config = readSettings(io);
  const letters = await withLetters(
    config,
    (own) => own.list({ flow, limit: MOST }),
    (ask) => ask({ do: 'letters.list', flow, limit: MOST }) as Promise<DeadLetter[]>,
  );
  if (json) writeJson(io, letters);
  else if (letters.length === 0) io.stderr.write('There are no dead letters.\n');
  else io.stdout.write(letters.map(letterText).join(''));
  return 0;
}

/** `weft dead-letters drop`: drops dead letters. */
export async function dropGiven(given: Given, io: Io): Promise<ExitCode> {
  const config = readSettings(io);
  const which = whichOf(given);
  const { dropped } = await withLetters(
    config,
    async (deadLetters, note) => {
      const dropped = await dropLetters({ calls: { deadLetters } }, which);
      if (dropped > 0) await note('dead letters dropped', { ...which, dropped });
      return { dropped };
    },
    (ask) => ask({ do: 'letters.drop', ...which }) as Promise<{ dropped: number }>,
  );
  if (given.json) writeJson(io, { dropped });
  else io.stderr.write(`Dropped ${dropped}.\n`);
  return 0;
}

/**
 * `weft dead-letters retry`: the server retries them, so it must be running. Exit code 1 if one could not be retried.
 */
export async function retryGiven(
  given: Given & { readonly version: 'same' | 'live' },
  io: Io,
): Promise<ExitCode> {
  const config = readSettings(io);
  const which = whichOf(given);
  const outcome = await withLetters<Retried>(
    config,
    () => {
      throw needsServer(
        config,
        'A server retries runs',
        'use POST /api/v1/dead-letters/retry of another one',
      );
    },
    (ask) => ask({ do: 'letters.retry', ...which, version: given.version }) as Promise<Retried>,
  );
  if (given.json) writeJson(io, outcome);
  else {
    for (const { run, as } of outcome.retried) io.stdout.write(`${printable(run)} is retried as ${as}\n`);
    for (const { run, message } of outcome.failed)
      io.stderr.write(`${printable(run)}: ${printable(message)}\n`);
  }
  return outcome.failed.length > 0 ? 1 : 0;
}

function whichOf({ runs, flow }: Given): WhichLetters {
  if (runs.length > 0 !== (flow !== undefined)) return runs.length > 0 ? { runs: [...runs] } : { flow };
  throw new UsageError('Name either runs or a flow (--flow).');
}

async function withLetters<T>(
  config: Config,
  own: (letters: DeadLetters, note: OwnData['note']) => Promise<T>,
  asked: (ask: AskServer) => Promise<T>,
): Promise<T> {
  const alone = ({ sql, note }: OwnData): Promise<T> =>
    own(sql === undefined ? noLetters : createDeadLetters(sql), note);
  return await withData(config, alone, asked);
}

const noLetters: DeadLetters = {
  add: async () => {},
  list: async () => [],
  oldest: async () => [],
  drop: async () => false,
  count: async () => 0,
};

function letterText({ run, flow, error, failedAt }: DeadLetter): string {
  const place = error.node === undefined ? flow : `${flow}.${error.node}`;
  const when = new Date(failedAt).toISOString();
  return `${run}  ${when}  ${place}\n  ${error.code}: ${printable(error.message)}\n`;
}
