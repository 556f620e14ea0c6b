import type { FastifyReply } from 'fastify';
import type { RunLine, StartedRun } from '#shared/api.ts';
import { PING_MS } from '../../access/http/stream-limits.ts';
import { hijack } from '../../access/answers/stream-answer.ts';

const HEADERS = {
  'content-type': 'application/x-ndjson; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

/** Sends lines as they come; empty ones keep a silent connection open. A caller who leaves ends nothing: the lines are still read. */
export function sendLines(reply: FastifyReply, lines: AsyncIterable<RunLine>): FastifyReply {
  const raw = hijack(reply, 200, HEADERS);
  const ping = setInterval(() => raw.write('\n'), PING_MS);
  raw.on('error', () => {});
  raw.once('close', () => clearInterval(ping));
  const send = async (): Promise<void> => {
    for await (const line of lines) if (!raw.destroyed) raw.write(`${JSON.stringify(line)}\n`);
    raw.end();
  };
  // Cut off without the line `ended`, the caller knows that something is missing.
  send().catch(() => raw.destroy());
  return reply;
}

export async function* startedLines(run: StartedRun, rest: AsyncIterable<RunLine>): AsyncGenerator<RunLine> {
  yield { kind: 'started', run };
  yield* rest;
}

/** The lines of a run that is told at its end, or where it waits. */
export async function* settledLines(settled: Promise<StartedRun>): AsyncGenerator<RunLine> {
  const { status, ms, error, answer } = await settled;
  if (answer) yield { kind: 'answer', answer };
  yield { kind: 'ended', status, ...(ms !== undefined && { ms }), ...(error && { error }) };
}
