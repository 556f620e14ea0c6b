import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { askedWait, WeftError } from '#engine';
import type { App } from '#shared/app.ts';
import { withoutOwnAddresses } from '#shared/chat-markup.ts';
import { type ErrorCode, errorTable } from '#shared/errors.ts';
import { FileValue } from '#shared/file.ts';
import { CLOSED_PAGE, type PublicPage } from '#shared/public-page.ts';
import { CHAT_FILES } from '#shared/wait-form.ts';
import { lazy } from '../../base/parts/lazy.ts';
import { sendFile } from '../../access/answers/file-answer.ts';
import {
  CONVERSATION,
  FAILED,
  pageFiles,
  PageMessage,
  pageForm,
  pageOwner,
  pageRequest,
  pageUploader,
} from '../../chat/service/page-form.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { readBody } from '../../access/http/read-body.ts';
import { jsonMediaType, readJsonBody } from '../../access/http/read-json.ts';
import { type ChatPage, chatHtml, noChatHtml } from '../../base/pages/chat-html.ts';
import { CHAT_SCRIPT_HASH } from '../../base/pages/chat-script.ts';
import { headersFor } from '../../base/pages/html.ts';
import { pairsToObject, parsePairs } from '../../base/requests/query-string.ts';
import { streamLimitsOf } from '../../access/http/stream-limits.ts';
import type { Caller } from '../../access/security/access.ts';
import { sharerOf } from '../../access/security/client-address.ts';
import { addRateHeaders } from '../../access/security/guard.ts';
import { comesFromOurs } from '../../access/security/origin.ts';
import { discardUnheld, receiveFiles } from '../triggers/input.ts';
import { Upload } from '../triggers/upload.ts';
import type { ChatContext } from './chat-answers.ts';
import { chatUploads } from './files.ts';
import type { Context } from './context.ts';
import { addRoutes, defineRoute } from './define-route.ts';

/** The most bytes of one message. */
const MAX_BODY = 64 * 1024;
const content = () => ({ 'text/html': undefined });

const show = defineRoute({
  method: 'GET',
  url: '/talk/:app',
  scope: 'public',
  servedAt: 'triggers',
  tag: 'Chat',
  summary:
    'Get the public chat page of an app, if its owner has opened one. `c` names a conversation to go on with.',
  guide: 'chat',
  content,
  errors: ['app_not_found', 'rate_limited'],
  async handle(ctx: ChatContext, { request, reply, params: { app: code } }) {
    const found = await openPage(ctx, code);
    if (found === undefined) return gone(reply);
    const { c } = request.query as { c?: unknown };
    const known = PageMessage.shape.conversation.safeParse(c);
    const conversation = known.data ?? randomUUID();
    if (c === undefined) return page(reply, found, { conversation, messages: [] });
    try {
      await countReading(request, reply, found);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'rate_limited') throw error;
      addRateHeaders(reply, error.headers);
      return page(reply.code(error.status), found, { conversation, messages: [], problem: error.message });
    }
    return page(reply, found, { conversation, messages: await earlierMessages(ctx, code, c) });
  },
});

const post = defineRoute({
  method: 'POST',
  url: '/talk/:app',
  scope: 'public',
  servedAt: 'triggers',
  tag: 'Chat',
  summary: 'Send a message from the public chat page without scripts; the answer is the page.',
  guide: 'chat',
  uploads: ['application/x-www-form-urlencoded', 'multipart/form-data'],
  content,
  errors: ['rate_limited', 'unsupported_media_type', 'file_too_large', 'uploads_full'],
  beforeBody: refuseStrangers,
  async handle(ctx: ChatContext, { request, reply, params: { app: code } }) {
    discardUnheld(ctx.files, request, reply);
    const found = await openPage(ctx, code);
    if (found === undefined) return gone(reply);
    const { sent, files, isFull } = await messageIn(ctx, code, request);
    const read = PageMessage.safeParse(sent);
    const conversation = read.data?.conversation ?? randomUUID();
    const messages = await earlierMessages(ctx, code, conversation);
    const again = (problem: string, status: number): FastifyReply =>
      page(reply.code(status), found, { conversation, messages, typed: sent.text, problem, kept: files });
    if (isFull) return again(FULL, new ServiceError('uploads_full').status);
    if (!read.success) return again(UNREADABLE, 422);
    try {
      await countMessage(request, reply, found);
      // `answer` validates the body of the request.
      request.body = read.data;
      const asked = { role: 'user', content: read.data.text, files };
      const whole = (text: string): string =>
        chatHtml(
          pageOf(found, {
            conversation,
            messages: [...messages, asked, { role: 'assistant', content: text }],
          }),
        );
      reply.headers(headersOf(found));
      await answerAs(ctx, { request, reply }, found, { stream: false, whole });
      return reply;
    } catch (error) {
      const told = errorForStrangers(error, request);
      addRateHeaders(reply, told.headers);
      return again(told.message, told.status);
    }
  },
});

const messages = defineRoute({
  method: 'POST',
  url: '/talk/:app/messages',
  scope: 'public',
  servedAt: 'triggers',
  tag: 'Chat',
  summary: 'Send a message from the public chat page of an app; the answer is streamed.',
  guide: 'chat',
  body: () => PageMessage,
  content: () => ({
    'text/event-stream': z
      .string()
      .describe(
        'Lines `data: {"text"}` for each piece, then `data: {"html"}`, the whole answer, or `data: {"error"}`.',
      ),
  }),
  errors: ['app_not_found', 'bad_origin', 'rate_limited', 'overloaded', 'draining'],
  beforeBody: refuseStrangers,
  async handle(ctx: ChatContext, { request, reply, params: { app: code }, body }) {
    const found = await openPage(ctx, code);
    if (found === undefined) throw new ServiceError('app_not_found', CLOSED);
    request.body = body;
    await countMessage(request, reply, found);
    try {
      await answerAs(ctx, { request, reply }, found, { stream: true, whole: (text) => text });
    } catch (error) {
      throw errorForStrangers(error, request);
    }
    return reply;
  },
});

const upload = defineRoute({
  method: 'POST',
  url: '/talk/:app/files',
  scope: 'public',
  servedAt: 'triggers',
  tag: 'Chat',
  summary:
    'Upload files for a message of the public chat page: a form with the `conversation` and the files. Only that conversation may use them.',
  guide: 'chat',
  uploads: ['multipart/form-data'],
  status: 201,
  answer: () => z.object({ files: z.array(FileValue) }),
  errors: [
    'app_not_found',
    'bad_origin',
    'rate_limited',
    'file_too_large',
    'too_many_values',
    'uploads_full',
    'storage_failed',
    'disk_low',
  ],
  async beforeBody(ctx: ChatContext, request, reply) {
    const refused = await refuseStrangers(ctx, request, reply);
    const found = await openPage(ctx, (request.params as { app: string }).app);
    if (found) await countMessage(request, reply, found, 'files');
    return refused;
  },
  async handle(ctx: ChatContext, { request, reply, params: { app: code } }) {
    discardUnheld(ctx.files, request, reply);
    const { sent, files, isFull } = await messageIn(ctx, code, request);
    if (isFull) throw new ServiceError('uploads_full', FULL);
    if (files.length === 0 || sent.conversation === undefined)
      throw new ServiceError('invalid_request', 'Send a form with the conversation and at least one file.');
    return { files };
  },
});

const download = defineRoute({
  method: 'GET',
  url: '/talk/:app/files/:conversation/:handle',
  scope: 'public',
  servedAt: 'triggers',
  tag: 'Chat',
  summary: 'Download a file of a conversation of the public chat page.',
  guide: 'chat',
  content: () => ({ 'application/octet-stream': undefined }),
  errors: ['app_not_found', 'file_not_found', 'file_gone'],
  async handle(ctx: ChatContext, { reply, params: { app: code, conversation, handle } }) {
    if ((await openPage(ctx, code)) === undefined) throw new ServiceError('app_not_found', CLOSED);
    const { findFile } = await import('../../chat/service/attachments.ts');
    const sender = { owner: pageOwner(code), uploader: pageUploader(code, conversation), conversation };
    const found = await findFile(ctx, handle, sender);
    if (found === undefined) throw new ServiceError('file_not_found');
    await sendFile(reply, { file: found, status: 200, headers: [] }, ctx.files);
    return reply;
  },
});

const UNREADABLE = 'Write a message of at most 10,000 characters.';
const CLOSED = 'This page is closed.';
const BUSY = 'There are too many questions at the moment. Try again in a while.';
/** What answers is down, which is no matter of how many ask. */
const DOWN = 'No answer can be given at the moment. Try again in a while.';
const FULL = 'No more files are taken here for now. Send the message without files, or try again later.';

/** The content of a form of the page; its files are kept for its conversation. */
async function messageIn(
  { files: stored, uploads }: ChatContext,
  code: string,
  request: FastifyRequest,
): Promise<{
  sent: { text: string; conversation: string | undefined; files: string[] };
  files: FileValue[];
  /** Whether its files were not kept, because files of strangers use all the room. */
  isFull: boolean;
}> {
  const body = request.body as Buffer | Upload | undefined;
  const isUpload = body instanceof Upload;
  const pairs = isUpload ? body.pairs : parsePairs(body?.toString() ?? '');
  const { text = '', conversation: named } = pairsToObject(pairs);
  const conversation = CONVERSATION.test(named ?? '') ? named : undefined;
  const before = pairs.flatMap((name, i) => (i % 2 === 0 && name === 'file' ? [pairs[i + 1] as string] : []));
  if (conversation === undefined)
    return { sent: { text, conversation, files: before }, files: [], isFull: false };
  const uploader = pageUploader(code, conversation);
  const arrived = isUpload ? body.files.map((file) => file.stored.value) : [];
  const handles = arrived.map(({ $file }) => $file);
  const isFull =
    (isUpload && body.isFull) ||
    !(await uploads.keepForGuest(uploader, handles, sharerOf('address', request)));
  const fresh = isFull ? [] : arrived;
  const { findFile } = await import('../../chat/service/attachments.ts');
  const sender = { owner: pageOwner(code), uploader, conversation };
  const known = await Promise.all(
    before.slice(0, CHAT_FILES.most).map((handle) => findFile({ files: stored, uploads }, handle, sender)),
  );
  const files = [...known.flatMap((file) => (file ? [file.value] : [])), ...fresh];
  return { sent: { text, conversation, files: files.map(({ $file }) => $file) }, files, isFull };
}

/** `/talk/<app>`: chats with an app without a login. No session counts here, and no cookie is set. */
export default async function chatPages(app: FastifyInstance, ctx: Context): Promise<void> {
  const chat = lazy(async () =>
    (await import('../../chat/service/chat-service.ts')).createChatService(ctx, streamLimitsOf(ctx.config)),
  );
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(jsonMediaType, (request, _payload, done) =>
    readBody(request, MAX_BODY, (error, body) => {
      try {
        done(error, body && readJsonBody(body));
      } catch (unreadable) {
        done(unreadable as Error);
      }
    }),
  );
  app.addContentTypeParser('application/x-www-form-urlencoded', (request, _payload, done) =>
    readBody(request, MAX_BODY, done),
  );
  app.addContentTypeParser('multipart/form-data', (request: FastifyRequest) =>
    receiveFiles(request, 'multipart', {
      files: ctx.files,
      limits: chatUploads,
      room: () => ctx.uploads.roomForGuest(sharerOf('address', request)),
    }),
  );
  addRoutes(app, { ...ctx, chat }, [show, post, messages, upload, download]);
}

interface OpenPage {
  readonly app: App;
  readonly settings: PublicPage;
}

async function openPage({ apps, pages }: Context, code: string): Promise<OpenPage | undefined> {
  // Pages that were set up before a setting existed lack it.
  const settings = { ...CLOSED_PAGE, ...pages.get(code) };
  if (!settings.open) return undefined;
  const app = await apps.get(code);
  return app && { app, settings };
}

async function earlierMessages(ctx: Context, code: string, conversation: unknown) {
  if (typeof conversation !== 'string' || conversation === '') return [];
  const stored = await ctx.conversations.get(pageOwner(code), conversation.slice(0, 128));
  return (stored?.messages ?? []).map(({ run: _, ...one }) => ({
    ...one,
    content: withoutOwnAddresses(one.content),
  }));
}

/** Pages of other sites must not chat for their visitors. */
async function refuseStrangers(
  ctx: ChatContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { app: code } = request.params as { app: string };
  const isPage = request.routeOptions.url === '/talk/:app';
  const found = await openPage(ctx, code);
  if (found === undefined) {
    if (isPage) return gone(reply);
    throw new ServiceError('app_not_found', CLOSED);
  }
  if (!comesFromOurs(request, ctx.config))
    throw new ServiceError('bad_origin', 'Only the page itself may send this.');
  if (/^multipart\//i.test(request.headers['content-type'] ?? '') && !found.settings.files)
    throw new ServiceError('file_type_refused', 'This page takes no files.');
  return undefined;
}

/** Throws `rate_limited`. */
async function countMessage(
  request: FastifyRequest,
  reply: FastifyReply,
  { app, settings }: OpenPage,
  what: 'messages' | 'files' = 'messages',
): Promise<void> {
  const rate = { limit: settings.perMinute, per: 'minute' } as const;
  const id = what === 'messages' ? app.app_code : `${app.app_code} files`;
  const limited = { kind: 'page', id, of: app.app_name, rate } as const;
  addRateHeaders(reply, await request.server.rates.count(limited, sharerOf('address', request)));
  // Later than the other limits, so that a sender whose messages are refused does not use up the limit of the day.
  if (what === 'files') return;
  const all = {
    ...limited,
    id: `${app.app_code} all`,
    rate: { limit: settings.perDay, per: 'day' },
  } as const;
  await request.server.rates.count(all, sharerOf('all', request));
}

/** Showing a page with a conversation costs work; a browser without the script loads it after each message. */
const READINGS_PER_MESSAGE = 3;

/** Counts a page with a conversation. Throws `rate_limited`. */
async function countReading(
  request: FastifyRequest,
  reply: FastifyReply,
  { app, settings }: OpenPage,
): Promise<void> {
  const rate = { limit: READINGS_PER_MESSAGE * settings.perMinute, per: 'minute' } as const;
  const limited = { kind: 'page', id: `${app.app_code} readings`, of: app.app_name, rate } as const;
  addRateHeaders(reply, await request.server.rates.count(limited, sharerOf('address', request)));
}

/** The error that a stranger sees: errors that they can fix, and the time for a retry. The log has the others. */
function errorForStrangers(error: unknown, { log, id }: FastifyRequest): ServiceError {
  if (error instanceof ServiceError && (error.status < 500 || error.status === 503)) return error;
  log.warn({ err: error, reqId: id }, 'a message of a public page could not be answered');
  return isForNow(error) ? overloaded(error) : new ServiceError('answer_failed', FAILED);
}

/** Whether the run met a temporary limit, such as that of its model, or something that is down for now. */
function isForNow(error: unknown): error is WeftError {
  return error instanceof WeftError && error.transient && [429, 503].includes(statusOf(error));
}

function statusOf({ code }: WeftError): number {
  return Object.hasOwn(errorTable, code) ? errorTable[code as ErrorCode].status : 500;
}

/** The default wait, and the longest one that is passed on, in seconds. */
const USUAL_WAIT = 5;
const LONGEST_WAIT = 3600;

function overloaded(error: WeftError): ServiceError {
  const asked = Math.ceil(askedWait(error, Date.now) / 1000);
  const seconds = Math.min(asked > 0 ? asked : USUAL_WAIT, LONGEST_WAIT);
  const told = statusOf(error) === 429 ? BUSY : DOWN;
  return new ServiceError('overloaded', told, { headers: { 'retry-after': String(seconds) } });
}

async function answerAs(
  ctx: ChatContext,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { app: { app_code: code } }: OpenPage,
  { stream, whole }: { readonly stream: boolean; readonly whole: (text: string) => string },
): Promise<void> {
  const caller: Caller = {
    kind: 'session',
    name: 'public page',
    owner: pageOwner(code),
    scopes: new Set(),
    csrf: undefined,
  };
  const mayGoOn = (): boolean => ctx.pages.get(code)?.open === true;
  const files = {
    uploader: (conversation: string) => pageUploader(code, conversation),
    fileAt: (conversation: string, { $file }: FileValue) => `${pageFiles(code)}${conversation}/${$file}`,
  };
  const form = pageForm(whole, pageFiles(code));
  const kind = { body: pageRequest(code, stream), form, mayGoOn, files };
  await (await ctx.chat()).answer(request, reply, caller, kind);
}

function pageOf(
  { app, settings }: OpenPage,
  more: Omit<ChatPage, 'name' | 'greeting' | 'address' | 'files' | 'takesFiles'>,
): ChatPage {
  const { app_name: name, app_code: code } = app;
  const address = `/talk/${encodeURIComponent(code)}`;
  const { greeting, files: takesFiles } = settings;
  return { name, greeting, address, files: pageFiles(code), takesFiles, ...more };
}

function headersOf({ settings }: OpenPage): Readonly<Record<string, string>> {
  return headersFor({ framedBy: settings.origins, pictures: true, script: CHAT_SCRIPT_HASH });
}

function page(reply: FastifyReply, found: OpenPage, more: Parameters<typeof pageOf>[1]): FastifyReply {
  return reply.headers(headersOf(found)).send(chatHtml(pageOf(found, more)));
}

function gone(reply: FastifyReply): FastifyReply {
  return reply.code(404).headers(headersFor({})).send(noChatHtml());
}
