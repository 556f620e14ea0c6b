import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Chunk } from '../../../server/chat/service/testing/read-stream.ts';

/** What the original's client made of an answer. `rejected` says why it would not take it. */
export interface Played {
  readonly status?: number;
  readonly rejected?: string;
  /** Of a chat with `stream`. */
  readonly chunks?: readonly Chunk[];
  readonly run?: string;
  /** Of a chat without. */
  readonly answer?: {
    readonly id: string;
    readonly choices: readonly [
      { readonly message: { readonly content: string }; finish_reason: string | null },
    ];
    readonly usage: Readonly<Record<string, number>>;
  };
  /** Of the other calls. */
  readonly data?: unknown;
  readonly error?: { readonly err_code: string; readonly err_msg: string };
  readonly text?: string;
  readonly body?: unknown;
}

/** The original's client, as a Python program that plays one call after the other. */
export interface OriginalClient {
  play(call: string, args?: object): Promise<Played>;
  /** All 13 fields are sent: those given, nulls and defaults else. */
  chat(fields: object): Promise<Played>;
  close(): void;
}

const program = fileURLToPath(new URL('../client.py', import.meta.url));

export function startOriginalClient(url: string, key: string): OriginalClient {
  const child = spawn('python3', ['-B', program, url, key], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting: PromiseWithResolvers<Played>[] = [];
  const fail = (why: string): void => {
    for (const { reject } of waiting.splice(0)) reject(new Error(why));
  };
  child.once('error', (error) =>
    fail(`These tests need python3 (3.9 or later) in the PATH: ${error.message}`),
  );
  child.once('exit', (code) => fail(`client.py ended with code ${code}.`));
  child.stdin.on('error', () => {});
  createInterface({ input: child.stdout }).on('line', (line) =>
    waiting.shift()?.resolve(JSON.parse(line) as Played),
  );
  const play: OriginalClient['play'] = (call, args = {}) => {
    const played = Promise.withResolvers<Played>();
    if (child.exitCode !== null || child.pid === undefined)
      played.reject(new Error('client.py does not run.'));
    else waiting.push(played);
    child.stdin.write(`${JSON.stringify({ call, ...args })}\n`);
    return played.promise;
  };
  return { play, chat: (fields) => play('chat', { fields }), close: () => void child.stdin.end() };
}

export function contentsOf({ chunks = [] }: Played): string[] {
  return chunks.flatMap(({ choices }) => choices[0]?.delta.content ?? []);
}
