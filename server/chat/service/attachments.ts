import type { Run } from '#engine';
import { type ChatItem, type ChatMessage, type MessagePart, PICTURE, storedPart } from '#shared/chat-item.ts';
import type { ChatRequest } from '#shared/chat-request.ts';
import { type FileValue, HANDLE } from '#shared/file.ts';
import { CHAT_FILES, type FileLimits, limitsText, sizeText, takesType } from '#shared/wait-form.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { Files, StoredFile } from '../../storage/file-store/files.ts';
import { conversationHolder, type Uploads } from '../../storage/file-store/held-values.ts';

/**
 * The files of chats.
 *
 * CF1. A message may name only a file that its own caller has uploaded, or that its own conversation holds; the
 *      handle of any other file does not even reveal that it exists.
 * CF2. A stored message has only files that its conversation holds. A file is released with its message.
 */

/** The most bytes of all files of one message. */
export const MESSAGE_BYTES = 50_000_000;

export interface FileDeps {
  readonly files: Files;
  readonly uploads: Uploads;
}

/** The sender of a message, and its conversation. */
export interface Sender {
  readonly owner: string;
  /** The name under which the sender uploads. */
  readonly uploader: string;
  readonly conversation: string;
}

/** A file that the sender may use. */
export async function findFile(
  { files, uploads }: FileDeps,
  handle: string,
  sender: Sender,
): Promise<StoredFile | undefined> {
  if (!HANDLE.test(handle)) return undefined;
  const { uploader } = sender;
  return (await uploads.find(uploader, handle)) ?? files.find(handle, conversationHolder(sender));
}

/** A request whose files are all stored and allowed, with the files of its question. */
export interface Attached {
  readonly request: ChatRequest;
  readonly files: readonly FileValue[];
}

/** The limits of the target, and whether files within the message are to be stored. */
export interface AttachTerms {
  readonly limits: FileLimits;
  readonly stores: boolean;
}

/**
 * Looks up the files that the messages name, and stores those that the question contains. Throws `file_not_found`,
 * `file_too_large`, `file_type_refused`, `too_many_values`, `body_too_large`, `invalid_request`, `uploads_full`,
 * `storage_failed`.
 */
export async function attach(
  deps: FileDeps,
  request: ChatRequest,
  sender: Sender,
  { limits, stores }: AttachTerms,
): Promise<Attached> {
  const asked = request.messages.findLastIndex(({ role }) => role === 'user');
  if (!request.messages.some(hasFiles)) return { request, files: [] };
  const messages: ChatMessage[] = [];
  for (const [at, message] of request.messages.entries()) {
    if (message.role !== 'user' || message.parts === undefined) messages.push(message);
    else {
      const isQuestion = at === asked;
      if (isQuestion) refuse(countFault(message.parts.filter(({ type }) => type !== 'text').length, limits));
      const kept = { ...deps, sender, limits, stores: isQuestion && stores };
      const parts: MessagePart[] = [];
      for (const part of message.parts) parts.push(await keptPart(kept, part));
      messages.push({ ...message, parts });
    }
  }
  const files = filesOf(messages[asked]);
  refuse(faultOf(files, limits));
  return { request: { ...request, messages }, files };
}

/** The files of a message. */
export function filesOf(message: ChatMessage | undefined): FileValue[] {
  const parts = message?.role === 'user' ? (message.parts ?? []) : [];
  return parts.flatMap((part) => ('file' in part ? [part.file] : []));
}

function hasFiles(message: ChatMessage): boolean {
  return message.role === 'user' && message.parts !== undefined;
}

/** The reason why the files of a question are refused. */
export interface FilesFault {
  readonly code: 'too_many_values' | 'file_too_large' | 'file_type_refused';
  readonly message: string;
}

/** The fault of the files of a question; undefined if they are accepted. */
export function faultOf(files: readonly FileValue[], limits: FileLimits): FilesFault | undefined {
  const large = files.find(({ bytes }) => bytes > limits.maxBytes);
  if (large) {
    const message = `${large.name} has ${sizeText(large.bytes)}; at most ${sizeText(limits.maxBytes)} are accepted here.`;
    return { code: 'file_too_large', message };
  }
  const wrong = files.find(({ type }) => !takesType(limits, type));
  if (wrong) {
    const message = `${wrong.name} is ${wrong.type}, which is not taken here. ${limitsText(limits)}`;
    return { code: 'file_type_refused', message };
  }
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > MESSAGE_BYTES) {
    const message = `The files of a message have at most ${sizeText(MESSAGE_BYTES)} together, and these ${sizeText(bytes)}.`;
    return { code: 'file_too_large', message };
  }
  return countFault(files.length, limits);
}

function countFault(count: number, { most }: FileLimits): FilesFault | undefined {
  if (count <= most) return undefined;
  const message =
    most === 0
      ? 'The recipient of this message reads no files: send the message without them, or ask a model.'
      : `A message takes at most ${most} ${most === 1 ? 'file' : 'files'} here; this one has ${count}.`;
  return { code: 'too_many_values', message };
}

/** The files that the trigger of a flow accepts. */
export function limitsAt({ compiled }: Pick<LiveFlow, 'compiled'>, trigger: string): FileLimits {
  const own = compiled.plans.get(trigger)?.params['files'] as Partial<FileLimits> | undefined;
  return { ...CHAT_FILES, ...own };
}

function refuse(fault: FilesFault | undefined): void {
  if (fault) throw new ServiceError(fault.code, fault.message, { param: 'messages' });
}

interface Keeping extends FileDeps, AttachTerms {
  readonly sender: Sender;
}

async function keptPart(keeping: Keeping, part: MessagePart): Promise<MessagePart> {
  if (part.type === 'text') return part;
  if ('file' in part) {
    const found = await findFile(keeping, part.file.$file, keeping.sender);
    if (found === undefined) throw unknownFile(part.file.$file);
    return storedPart(found.value);
  }
  const address = part.type === 'image' ? part.url : part.data;
  if (!keeping.stores || !address.startsWith('data:')) return part;
  const value = await store(keeping, contentOf(address), part);
  return part.type === 'image' && part.detail
    ? { ...storedPart(value), detail: part.detail }
    : storedPart(value);
}

function unknownFile(handle: string): ServiceError {
  return new ServiceError(
    'file_not_found',
    `There is no file \`${handle.slice(0, 100)}\` that you may use here: upload it with POST /api/v1/chat/files and the same key, and send its id within a day.`,
    { param: 'messages' },
  );
}

async function store(
  { files, uploads, sender, limits }: Keeping,
  { type, bytes }: { readonly type: string; readonly bytes: Buffer },
  part: Exclude<MessagePart, { type: 'text' }>,
): Promise<FileValue> {
  const name = 'filename' in part ? part.filename : `${part.type}.${type.split('/')[1] ?? 'bin'}`;
  const maxBytes = limits.maxBytes;
  const { value } = await files.add({ name, type, content: [bytes] as never, maxBytes });
  if (!(await uploads.keepForChat(sender.uploader, [value.$file]))) {
    await files.discard([value.$file]);
    throw new ServiceError('uploads_full');
  }
  if (part.type === 'file' || PICTURE.test(value.type)) return value;
  const text = `A message has an \`image_url\` that is ${value.type}; send PNG, JPEG, GIF or WebP, or anything else as a \`file\`.`;
  throw new ServiceError('file_type_refused', text, { param: 'messages' });
}

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*;base64,([A-Za-z0-9+/_-]*={0,2})$/;

function contentOf(address: string): { readonly type: string; readonly bytes: Buffer } {
  const [, type = '', data] = DATA_URL.exec(address) ?? [];
  if (data === undefined)
    throw new ServiceError('invalid_request', 'A file of a message must be data:<type>;base64,<data>.', {
      param: 'messages',
    });
  return { type, bytes: Buffer.from(data, 'base64') };
}

/** Shows the files of an answer to its reader: as links that open them for this reader only. */
export interface AnswerFiles {
  /** The item that replaces the file in the answer. */
  shown(item: Extract<ChatItem, { type: 'file' }>): Promise<ChatItem>;
  /** The files so far. */
  readonly files: readonly FileValue[];
}

/**
 * The files of an answer, which its reader may open from now on; `link` makes their addresses. A value that only looks
 * like a file is shown as its JSON.
 */
export function createAnswerFiles(
  { files, uploads }: FileDeps,
  { run, uploader, link }: { run: Pick<Run, 'id'>; uploader: string; link(file: FileValue): string },
): AnswerFiles {
  const found: FileValue[] = [];
  const shown: AnswerFiles['shown'] = async ({ file }) => {
    const held = await files.find(file.$file, { kind: 'run', id: run.id });
    if (held === undefined) return { type: 'text', text: JSON.stringify(file) };
    const { value } = held;
    await uploads.keep(uploader, [value.$file]);
    found.push(value);
    const mark = PICTURE.test(value.type) ? '!' : '';
    const name = value.name.replaceAll(/[\\[\]*_`<]/g, String.raw`\$&`);
    return { type: 'text', text: `\n\n${mark}[${name}](${link(value)})\n\n` };
  };
  return { files: found, shown };
}
