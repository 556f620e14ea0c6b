import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { CHAT_FILES } from '#shared/wait-form.ts';
import { sendFile } from '../../access/answers/file-answer.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { callerUploads } from '../../storage/file-store/held-values.ts';
import { discardUnheld, receiveFiles } from '../triggers/input.ts';
import type { Upload, UploadLimits } from '../triggers/upload.ts';
import { callerOf } from './chat-answers.ts';
import type { Context } from './context.ts';
import { addRoutes, defineRoute } from './define-route.ts';

/** The most bytes of a file. */
const MOST = 1024 ** 3;

const upload = defineRoute({
  method: 'POST',
  url: '/api/v1/files',
  scope: 'runs:write',
  tag: 'Runs',
  summary:
    'Store the body as a file, for the input of a run or the answer to a question. Its name comes from `Content-Disposition`; for a day only this caller may use it.',
  guide: 'files',
  uploads: ['application/octet-stream'],
  status: 201,
  answer: () => FileValue,
  errors: ['body_too_large', 'file_too_large', 'storage_failed', 'disk_low', 'overloaded'],
  async handle({ access, uploads }, { request }) {
    const caller = access.require(request, 'runs:write');
    const [file] = (request.body as Upload | undefined)?.files ?? [];
    if (file === undefined)
      throw new ServiceError('invalid_request', 'Send the bytes of the file as the body.');
    await uploads.keep(callerUploads(caller), [file.stored.value.$file]);
    return file.stored.value;
  },
});

/** `/api/v1/files`: files that are uploaded before the run that gets them. */
export default async function fileRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  app.removeAllContentTypeParsers();
  const limits = { fileBytes: MOST, totalBytes: MOST, files: 1, textBytes: 0 };
  app.addContentTypeParser('*', (request: FastifyRequest) =>
    receiveFiles(request, 'bytes', { files: ctx.files, limits }),
  );
  addRoutes(app, ctx, [upload]);
}

/** The limits of one upload for a chat. */
export const chatUploads: UploadLimits = {
  fileBytes: CHAT_FILES.maxBytes,
  totalBytes: CHAT_FILES.most * CHAT_FILES.maxBytes,
  files: CHAT_FILES.most,
  textBytes: 64 * 1024,
};

const chatTypes = ['multipart/form-data', 'application/octet-stream'];
const chatErrors = [
  'body_too_large',
  'file_too_large',
  'too_many_values',
  'uploads_full',
  'storage_failed',
  'disk_low',
  'overloaded',
] as const;

const chatRoutes = [
  defineRoute({
    method: 'POST',
    url: '/api/v1/chat/files',
    scope: 'chat',
    tag: 'Chat',
    summary:
      'Upload files for a message: a form with up to 10, or the body as one. A message names them as `file_id`, within a day and with the same key.',
    guide: 'chat',
    uploads: chatTypes,
    status: 201,
    answer: () => z.object({ files: z.array(FileValue) }),
    errors: chatErrors,
    handle: async (ctx, { request, reply }) => ({ files: await keepUploads(ctx, request, reply) }),
  }),

  defineRoute({
    method: 'POST',
    url: '/v1/files',
    scope: 'chat',
    tag: 'Chat',
    summary: 'Upload one file for a message, in OpenAI’s format.',
    guide: 'chat',
    uploads: chatTypes,
    content: () => ({
      'application/json': z.object({
        id: z.string().describe('For `file_id`.'),
        object: z.literal('file'),
        bytes: z.int(),
        created_at: z.int().describe('Unix seconds.'),
        filename: z.string(),
        purpose: z.string(),
        status: z.literal('processed'),
      }),
    }),
    errors: chatErrors,
    async handle(ctx, { request, reply }) {
      const [file] = (await keepUploads(ctx, request, reply)) as [FileValue];
      const { $file: id, name: filename, bytes } = file;
      const purpose = textIn(request, 'purpose') ?? 'user_data';
      const created_at = Math.floor(ctx.host.now() / 1000);
      return {
        id,
        object: 'file' as const,
        bytes,
        created_at,
        filename,
        purpose,
        status: 'processed' as const,
      };
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/chat/conversations/:id/files/:handle',
    scope: 'chat',
    tag: 'Chat',
    summary: 'Download a file of a conversation, whole or in part (`Range`).',
    guide: 'chat',
    content: () => ({ 'application/octet-stream': undefined }),
    errors: ['file_not_found', 'file_gone'],
    async handle(ctx, { request, reply, params: { id, handle } }) {
      const caller = callerOf(ctx, request);
      const { findFile } = await import('../../chat/service/attachments.ts');
      const sender = { owner: caller.owner, uploader: callerUploads(caller), conversation: id };
      const found = await findFile(ctx, handle, sender);
      if (found === undefined) throw new ServiceError('file_not_found');
      await sendFile(reply, { file: found, status: 200, headers: [] }, ctx.files);
      return reply;
    },
  }),
];

async function keepUploads(ctx: Context, request: FastifyRequest, reply: FastifyReply): Promise<FileValue[]> {
  discardUnheld(ctx.files, request, reply);
  const caller = callerOf(ctx, request);
  const upload = request.body as Upload | undefined;
  if (upload === undefined || (upload.files.length === 0 && !upload.isFull))
    throw new ServiceError(
      'invalid_request',
      'Send a form with a file, or the bytes of the file as the body.',
    );
  if (upload.isFull || !(await ctx.uploads.keepForChat(callerUploads(caller), upload.handles)))
    throw new ServiceError('uploads_full');
  return upload.files.map(({ stored }) => stored.value);
}

function textIn({ body }: FastifyRequest, name: string): string | undefined {
  const { pairs } = body as Upload;
  const at = pairs.findIndex((one, i) => i % 2 === 0 && one === name);
  return at < 0 ? undefined : pairs[at + 1];
}

/** Files of chats: uploaded before their message, and downloaded as long as their conversation exists. */
export async function chatFiles(app: FastifyInstance, ctx: Context): Promise<void> {
  app.removeAllContentTypeParsers();
  const termsOf = (request: FastifyRequest) => ({
    files: ctx.files,
    limits: chatUploads,
    room: () => ctx.uploads.roomForChat(callerUploads(callerOf(ctx, request))),
  });
  app.addContentTypeParser('multipart/form-data', (request: FastifyRequest) =>
    receiveFiles(request, 'multipart', termsOf(request)),
  );
  app.addContentTypeParser('*', (request: FastifyRequest) =>
    receiveFiles(request, 'bytes', termsOf(request)),
  );
  addRoutes(app, ctx, chatRoutes);
}
