import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../../base/errors/errors.ts';
import { readJsonBody } from '../../../access/http/read-json.ts';
import { unwrapped } from '../../../flows/awel/awel-flow.ts';
import { filesOfZip, flowOfFile, flowsIn, isZip, type Packed } from '../../../flows/awel/packages.ts';

/** The upload for an import: `single` if it is the JSON of one flow, otherwise the flows of an archive. */
export type Given = Packed & { readonly single: boolean };

/** The file in a form, as DB-GPT's client sends it, or the JSON itself. */
export async function givenFlows({ body, headers }: FastifyRequest): Promise<Given> {
  if (Buffer.isBuffer(body)) return readUpload(body, headers['content-type'] ?? '');
  return { flows: [{ file: 'body', flow: unwrapped(body) }], left: [], single: true };
}

/**
 * The flows in the field `file` of a multipart body. Throws `invalid_request` (no such field, no multipart body, or no flow in an
 * archive) and the error of the JSON.
 */
async function readUpload(body: Buffer, contentType: string): Promise<Given> {
  const file = (await readForm(body, contentType)).get('file');
  if (file === null) throw refused('Send the flow in a field named `file`.');
  const isText = typeof file === 'string';
  const bytes = isText ? Buffer.from(file) : Buffer.from(await file.arrayBuffer());
  if (!isZip(bytes)) {
    const name = isText ? '' : file.name;
    return { flows: [{ file: name, flow: flowOfFile(name, readJsonBody(bytes)) }], left: [], single: true };
  }
  const packed = flowsIn(filesOfZip(bytes));
  if (packed.flows.length > 0) return { ...packed, single: packed.flows.length === 1 };
  const why = packed.left.map(({ file: path, message }) => ` ${path}: ${message}`).join('');
  throw refused(`The archive has no flow that could be imported.${why.slice(0, 1000)}`);
}

async function readForm(body: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw refused('The body is not a valid multipart form.');
  }
}

function refused(message: string): ServiceError {
  return new ServiceError('invalid_request', message, { param: 'file' });
}
