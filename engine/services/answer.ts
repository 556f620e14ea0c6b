import { isRecord } from '#shared/json.ts';
import type { ServiceCall, ServiceFile } from '#shared/service-file.ts';
import { type HttpResponse, toText, WeftError } from '../base/operator.ts';
import { readBody } from '../operators/http/_answer.ts';
import { isRefusal } from './describe.ts';
import { fieldAt } from './fields.ts';

/** An answer of a service that has been read. */
export interface Read {
  readonly body: unknown;
  readonly headers: HttpResponse['headers'];
  /** The address of the answer, after redirects. */
  readonly url: string;
}

/** The body of an answer. Throws `service_failed` if the service refuses the call, and `bad_answer`. */
export async function readAnswer(
  file: ServiceFile,
  call: ServiceCall,
  answer: HttpResponse,
  tell: (message: string) => void,
): Promise<Read> {
  const { status, headers, url } = answer;
  const form = call.answer.as === 'text' ? 'text' : 'auto';
  const body = await readBody(answer, form, tell);
  if (status < 200 || status >= 300 || isRefusal(file, body))
    throw refusal(file, call, { status, body, headers });
  if (call.answer.as === 'json' && typeof body === 'string' && body !== '')
    throw new WeftError('bad_answer', `${file.title} answers ${call.title} with text in place of JSON.`);
  return { body, headers, url };
}

interface Refused {
  readonly status: number;
  readonly body: unknown;
  readonly headers: HttpResponse['headers'];
}

const SHOWN = 500;

/** The error by its name, in the words of the file if it has some, with those of the service behind them. */
export function refusal(file: ServiceFile, call: ServiceCall, refused: Refused): WeftError {
  const { status } = refused;
  const { name, theirs, says, transient, retryAfter } = meaningOf(file, call, refused);
  const why = [says, theirs ?? name].filter((text) => text !== undefined && text !== '').join(' ');
  const by = name === undefined ? `${status}` : `${status}, ${name}`;
  return new WeftError(
    'service_failed',
    `${file.title}: ${why === '' ? `${call.title} was refused.` : why.slice(0, SHOWN)} (${by})`,
    {
      transient,
      data: {
        service: file.id,
        call: call.id,
        status,
        ...(name !== undefined && { code: name }),
        ...(theirs !== undefined && { message: theirs }),
        ...(retryAfter !== undefined && { retryAfter }),
      },
    },
  );
}

interface Meaning {
  readonly name: string | undefined;
  readonly theirs: string | undefined;
  readonly says: string | undefined;
  readonly transient: boolean;
  readonly retryAfter: string | number | undefined;
}

function meaningOf(file: ServiceFile, call: ServiceCall, { status, body, headers }: Refused): Meaning {
  const { known, code, message, retryAfter } = errorsOf(file, call);
  const name = textAt(body, code)?.slice(0, 200);
  const plain = typeof body === 'string' ? body.trim() : undefined;
  const found = known.find((one) => isIt(one, status, name));
  const after = fieldAt(body, retryAfter) ?? headers['retry-after'];
  return {
    name,
    theirs: (textAt(body, message) ?? plain)?.slice(0, SHOWN),
    says: found?.says,
    transient: found?.transient ?? (PASSING.has(status) || status >= 500),
    retryAfter: typeof after === 'number' || typeof after === 'string' ? after : undefined,
  };
}

/** Another attempt may succeed. */
const PASSING = new Set([408, 425, 429]);

type Known = ServiceFile['errors']['known'][number];

function isIt({ status, code }: Known, met: number, name: string | undefined): boolean {
  if (status === undefined && code === undefined) return false;
  return (status === undefined || status === met) && (code === undefined || code === name);
}

/** The errors of the file and of the call, whose own come first. */
function errorsOf({ errors }: ServiceFile, call: ServiceCall): ServiceFile['errors'] {
  return {
    ...errors,
    ...call.errors,
    known: [...(call.errors?.known ?? []), ...errors.known],
  };
}

function textAt(body: unknown, path: string | undefined): string | undefined {
  const value = path === undefined ? undefined : fieldAt(body, path);
  if (value === undefined || value === null) return undefined;
  return isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : toText(value);
}
