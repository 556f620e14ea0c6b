import { z } from 'zod';
import { lostNumbers, lostNumbersAsTexts } from '#shared/lost-digits.ts';
import { type CodeCall, type Services, WeftError } from '#engine';
import { missing, readArgs } from './ask-args.ts';
import { FileQuestions } from './file-questions.ts';
import type { Job } from './job.ts';
import { limits } from './limits.ts';
import { StateQuestions } from './state-questions.ts';

const FetchArgs = z.object({
  url: z.string(),
  method: z.string().default('GET'),
  headers: z.record(z.string(), z.coerce.string()).default({}),
  body: z.unknown().optional(),
  base64: z.base64().optional(),
  timeoutMs: z.number().min(1).max(900_000).default(30_000),
  redirects: z.int().min(0).max(20).default(5),
});
const SecretArgs = z.object({ name: z.string() });

/** Sends something about a job to the host that has it. */
export type Say = (op: string, job: Job, text: string) => void;

/**
 * The requests of a call's code to the outside: each has a number, and its answer carries the same number. Nothing
 * that comes out of the sandbox is trusted: names and arguments are checked here, and so is the number of requests.
 */
export class Asking {
  /** The original failures that the code got, by the numbers of their requests. */
  readonly failures = new Map<number, unknown>();
  private count = 0;
  private state: StateQuestions | undefined = undefined;
  private readonly job: Job;
  private readonly context: CodeCall['context'];
  private readonly services: Services;
  private readonly say: Say;

  constructor(job: Job, context: CodeCall['context'], services: Services, say: Say) {
    this.job = job;
    this.context = context;
    this.services = services;
    this.say = say;
  }

  ask(number: number, name: string, args: string): void {
    this.answer(name, args).then(
      (value) => this.say('R', this.job, `${number} ${JSON.stringify(value)}`),
      (error: unknown) => {
        this.failures.set(number, error);
        this.say('Q', this.job, `${number} ${failureText(number, error)}`);
      },
    );
  }

  private async answer(name: string, args: string): Promise<unknown> {
    if (++this.count > limits.asked) {
      throw new WeftError('code_failed', `The code asked the outside more than ${limits.asked} times.`);
    }
    if (name === 'fetch') return await this.fetch(readArgs(FetchArgs, 'ctx.fetch', args));
    if (name === 'secret') return await this.secret(readArgs(SecretArgs, 'ctx.secret', args).name);
    if (name === 'state') return await this.ofState(args);
    const { files } = this.services;
    if (name === 'readFile') return await new FileQuestions(files, this.context).read(args);
    if (name === 'newFile') return await new FileQuestions(files, this.context).create(args);
    throw new WeftError('code_failed', 'The code asked for something that does not exist.');
  }

  private ofState(args: string): Promise<unknown> {
    this.state ??= new StateQuestions(this.services.state, this.context);
    return this.state.answer(args);
  }

  private async secret(name: string): Promise<string> {
    const { secrets } = this.services;
    if (!secrets) throw missing('ctx.secret');
    return await secrets.reveal(name, this.context.asker);
  }

  private async fetch(args: z.output<typeof FetchArgs>): Promise<unknown> {
    const { http } = this.services;
    if (!http) throw missing('ctx.fetch');
    const { asker, signal } = this.context;
    const { url, method, timeoutMs, redirects } = args;
    const request = { url, method, ...bodyOf(args), timeoutMs, redirects, maxBytes: limits.fetchBytes };
    const response = await http.send(request, asker, signal);
    const parts: Uint8Array[] = [];
    for await (const part of response.body) parts.push(part);
    const { status, headers } = response;
    return { status, url: response.url, headers, ...textOrBytes(Buffer.concat(parts)) };
  }
}

/** A body that is not a text is sent as JSON. */
function bodyOf({ headers, body, base64 }: z.output<typeof FetchArgs>): {
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
} {
  if (base64 !== undefined) return { headers, body: Buffer.from(base64, 'base64') };
  if (body === undefined || body === null) return { headers, body: undefined };
  if (typeof body === 'string') return { headers, body };
  return { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** `json`: the same text with whole numbers that would lose digits as texts, where it is JSON and has any. */
function textOrBytes(bytes: Buffer): { text: string; json?: string } | { base64: string } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const json = keepingDigits(text);
    return json === text ? { text } : { text, json };
  } catch {
    return { base64: bytes.toString('base64') };
  }
}

/** For the code's side, which may catch it; `ref` identifies it if it does not. */
export function failureText(ref: number, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return JSON.stringify({ ref, code: error instanceof WeftError ? error.code : 'failed', message });
}

function keepingDigits(text: string): string {
  const lost = [...lostNumbers(text)];
  return lost.length === 0 ? text : lostNumbersAsTexts(text, lost);
}
