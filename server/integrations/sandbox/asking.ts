import { z } from 'zod';
import { lostNumbers, lostNumbersAsTexts } from '#shared/lost-digits.ts';
import { type CodeCall, type Services, WeftError } from '#engine';
import type { Job } from './job.ts';
import { limits } from './limits.ts';

const FetchArgs = z.object({
  url: z.string(),
  method: z.string().default('GET'),
  headers: z.record(z.string(), z.coerce.string()).default({}),
  body: z.unknown().optional(),
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
    throw new WeftError('code_failed', 'The code asked for something that does not exist.');
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
function bodyOf({ headers, body }: z.output<typeof FetchArgs>): {
  headers: Record<string, string>;
  body: string | undefined;
} {
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

function readArgs<S extends z.ZodType>(schema: S, name: string, text: string): z.output<S> {
  const parsed = schema.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new WeftError(
    'code_failed',
    `${name}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'not valid'}`,
  );
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function missing(what: string): WeftError {
  return new WeftError('service_missing', `\`${what}\` is not offered where the flow runs now.`);
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
