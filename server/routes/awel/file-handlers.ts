import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { audit } from '../../security/audit.ts';
import type { Context } from '../context.ts';
import { ok } from '../../http/envelope.ts';
import { ServiceError } from '../../errors/errors.ts';
import { readPart } from '../../requests/read-part.ts';
import { type Handler, readFlow, uidOf, writeOptions } from './requests.ts';
import type { AwelFlows } from '../../awel/awel-flows.ts';
import { readUpload } from '../../awel/upload.ts';

export const ImportQuery = z.object({
  save_flow: z
    .stringbool()
    .default(false)
    .describe('Whether it is kept, as a draft; else the answer only shows what would be.'),
});

export const ExportQuery = z.object({
  export_type: z.string().default('json'),
  format: z.enum(['file', 'json']).default('file'),
  file_name: z.string().max(200).optional(),
});

/** Import and export of files. An import never goes live by itself: its sheet is to be read first. */
export function fileHandlers(ctx: Context, flows: AwelFlows) {
  return {
    async exportFile(request, reply) {
      const { export_type, format, file_name } = readPart(ExportQuery, request.query, 'query');
      if (export_type !== 'json') {
        const message = 'Flows are exported as JSON; flow packages (`dbgpts`) are not made here.';
        throw new ServiceError('invalid_request', message, { param: 'export_type' });
      }
      const document = await flows.find(uidOf(request));
      const text = ctx.redactor.text(JSON.stringify({ flow: flows.show(document) }));
      if (format === 'file')
        reply.header('content-disposition', `attachment;filename=${fileName(file_name ?? document.id)}`);
      return reply.type('application/json; charset=utf-8').send(text);
    },
    async importFile(request) {
      const { save_flow } = readPart(ImportQuery, request.query, 'query');
      const options = { ...writeOptions(ctx, request), mayPublish: false };
      const awel = readFlow(await givenFlow(request));
      if (!save_flow) return ok(await flows.preview(awel, options));
      const saved = await flows.create(awel, options);
      audit(ctx, request, 'flow imported', { flow: saved.uid, open: options.open });
      return ok(saved);
    },
  } satisfies Record<string, Handler>;
}

/** A file in a form, as the original's client sends it, or the JSON itself. */
function givenFlow({ body, headers }: FastifyRequest): unknown {
  return Buffer.isBuffer(body) ? readUpload(body, headers['content-type'] ?? '') : body;
}

function fileName(name: string): string {
  return `${name
    .replace(/\.json$/, '')
    .replaceAll(/[^\w.-]/g, '-')
    .replaceAll('_', '-')}.json`;
}
