import { faultSentence } from '#shared/fault-sentences.ts';
import type { FastifyRequest } from 'fastify';
import { type FileLimits, limitsText, sizeText, takesType, type WaitField } from '#shared/wait-form.ts';
import type { FileValue } from '#shared/file.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { Files } from '../../storage/file-store/files.ts';
import type { UploadRoom, Uploads } from '../../storage/file-store/held-values.ts';
import { readBody } from '../../access/http/read-body.ts';
import { FIELD, type Fault, KEPT, type KeptFile } from '../../base/pages/fields.ts';
import { pairsToObject, parsePairs } from '../../base/requests/query-string.ts';
import { sharerOf } from '../../access/security/client-address.ts';
import { receiveFiles } from '../triggers/input.ts';
import { Upload } from '../triggers/upload.ts';

/** Bytes of all texts of a form, more than anyone types. */
export const MAX_TEXTS = 1024 * 1024;

type Done = (error: Error | null, body?: Buffer | Upload) => void;

/** Whether a page of ours sends a body of this type. */
export function isFormType(contentType = ''): boolean {
  return /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i.test(contentType);
}

/** Reads the body of a form: texts, or texts and the files of its fields. */
export async function readForm(
  request: FastifyRequest,
  fields: readonly WaitField[],
  { files, uploads }: { readonly files: Files; readonly uploads: Uploads },
): Promise<Buffer | Upload> {
  if (/^multipart\//i.test(request.headers['content-type'] ?? '')) {
    const own = fields.flatMap(({ name, files: limits }) =>
      limits ? [[FIELD + name, limits] as const] : [],
    );
    const count = own.reduce((sum, [, { most }]) => sum + most, 0);
    const totalBytes = own.reduce((sum, [, { most, maxBytes }]) => sum + most * maxBytes, 0);
    // An empty field is a file without a name; one more file than the field allows is accepted here and refused at the field.
    const limits = { files: 2 * count + 20, fileBytes: totalBytes, totalBytes, textBytes: MAX_TEXTS };
    const room = (): Promise<UploadRoom> => uploads.roomForGuest(sharerOf('address', request));
    return receiveFiles(request, 'multipart', { files, limits, fields: new Map(own), room });
  }
  return new Promise((resolve, reject) => {
    const done: Done = (error, body) => (error ? reject(error) : resolve(body ?? Buffer.alloc(0)));
    readBody(request, MAX_TEXTS, done);
  });
}

/** The received part of a form. */
export interface Sent {
  /** By the names of the inputs. */
  readonly typed: Readonly<Record<string, string>>;
  /** By field. */
  readonly files: ReadonlyMap<string, readonly FileValue[]>;
  /** By field: files that are refused. */
  readonly faults: ReadonlyMap<string, Fault>;
  /** Handles of all files. */
  readonly handles: readonly string[];
  /** Whether files were not stored, because files of people without a login use all the room. */
  readonly isFull: boolean;
}

/**
 * The body of a form. Files of the wrong type or size are faults of their fields. A field without a new file keeps those of an
 * earlier try, identified by `who`, a text that no one can guess.
 */
export async function sentIn(
  body: unknown,
  fields: readonly WaitField[],
  { uploads, who: whoOf }: { uploads: Uploads; who(typed: Sent['typed']): Promise<string | undefined> },
): Promise<Sent> {
  const upload = body instanceof Upload ? body : undefined;
  const pairs = upload?.pairs ?? pairsIn(body as Buffer | undefined);
  const typed = pairsToObject(pairs);
  const who = await whoOf(typed);
  const arrived: ReadonlyMap<string, FileValue[]> = upload?.byField() ?? new Map();
  const files = new Map<string, readonly FileValue[]>();
  const faults = new Map<string, Fault>();
  for (const field of fields) {
    if (field.files === undefined) continue;
    const given = arrived.get(FIELD + field.name) ?? [];
    const fault = faultOf(given, field.files, upload?.refused.get(FIELD + field.name));
    if (fault) faults.set(field.name, fault);
    else files.set(field.name, given.length > 0 ? given : await keptIn({ uploads, who }, pairs, field));
  }
  const handles = [...files.values()].flat().map(({ $file }) => $file);
  return { typed, files, faults, handles, isFull: isFullIn(body) };
}

function isFullIn(body: unknown): boolean {
  return body instanceof Upload && body.isFull;
}

function pairsIn(body: Buffer | undefined): readonly string[] {
  return parsePairs(body?.toString() ?? '');
}

function faultOf(
  given: readonly FileValue[],
  limits: FileLimits,
  refused: 'file_too_large' | 'too_many_values' | undefined,
): Fault | undefined {
  const { maxBytes, most } = limits;
  if (refused === 'file_too_large')
    return { type: refused, msg: `The file is larger than ${sizeText(maxBytes)}.` };
  if (refused !== undefined)
    return { type: refused, msg: `At most ${most} ${most === 1 ? 'file is' : 'files are'} accepted.` };
  const wrong = given.find(({ type }) => !takesType(limits, type));
  if (wrong === undefined) return undefined;
  const msg = `${wrong.name} is ${wrong.type}, which does not fit here. ${limitsText(limits)}`;
  return { type: 'file_type_refused', msg };
}

async function keptIn(
  { uploads, who }: { uploads: Uploads; who: string | undefined },
  pairs: readonly string[],
  { name, files }: WaitField,
): Promise<FileValue[]> {
  if (who === undefined) return [];
  const handles: string[] = [];
  for (let i = 0; i < pairs.length; i += 2)
    if (pairs[i] === KEPT + name) handles.push(pairs[i + 1] as string);
  const found = await Promise.all(handles.slice(0, files?.most).map((handle) => uploads.find(who, handle)));
  return found.flatMap((file) => (file ? [file.value] : []));
}

/** The entries for files, beside the typed ones. */
export function fileEntries(
  fields: readonly WaitField[],
  { files }: Pick<Sent, 'files'>,
): Record<string, unknown> {
  const given = fields.flatMap(({ name, type }) => {
    const own = files.get(name) ?? [];
    return own.length === 0 ? [] : [[name, type === 'files' ? own : own[0]] as const];
  });
  return Object.fromEntries(given);
}

/** How the files of a returned form are shown. */
export function keptFiles({ files }: Pick<Sent, 'files'>): ReadonlyMap<string, readonly KeptFile[]> {
  return new Map(
    [...files].map(([name, own]) => [
      name,
      own.map(({ $file: handle, name: file, bytes }) => ({ handle, name: file, bytes })),
    ]),
  );
}

/** The faults of a form by field, in sentences; the fault of a file takes the place of a missing value. */
export function faultsOf(error: ServiceError, files: ReadonlyMap<string, Fault>): ReadonlyMap<string, Fault> {
  const problems = (error.detail ?? []) as readonly {
    readonly loc: readonly unknown[];
    readonly msg: string;
    readonly type?: string;
    readonly ctx?: Readonly<Record<string, unknown>>;
  }[];
  return new Map([
    ...problems.map(
      (problem) => [String(problem.loc[1]), { msg: faultSentence(problem), type: problem.type }] as const,
    ),
    ...files,
  ]);
}

/** The problem of a form whose files exceed the room shared with other senders. */
export function filesFull(): ServiceError {
  return new ServiceError(
    'uploads_full',
    'No more files are taken here for now. Send the form without files if you can, or try again later.',
  );
}

/** The problem of a form whose files do not fit, if everything else does. */
export function filesRefused(code: 'invalid_request' | 'wait_answer_invalid'): ServiceError {
  return new ServiceError(code, 'Check the marked fields.');
}
