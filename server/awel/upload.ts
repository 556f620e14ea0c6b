import { ServiceError } from '../errors/errors.ts';
import { readJsonBody } from '../http/read-json.ts';

/** The start of a zip file. */
const ZIP = 'PK\u0003\u0004';

/**
 * The JSON in the field `file` of a multipart body. Throws `invalid_request` (no such field, or no multipart body),
 * `unsupported_media_type` (a flow package), and what is wrong with the JSON.
 */
export async function readUpload(body: Buffer, contentType: string): Promise<unknown> {
  const file = (await readForm(body, contentType)).get('file');
  if (file === null) throw refused('Send the flow in a field named `file`.');
  const bytes = typeof file === 'string' ? Buffer.from(file) : Buffer.from(await file.arrayBuffer());
  if (bytes.toString('latin1', 0, ZIP.length) === ZIP)
    throw new ServiceError(
      'unsupported_media_type',
      'Flow packages (zip) are not supported; unpack it and send the JSON file of the flow.',
    );
  return readJsonBody(bytes);
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
