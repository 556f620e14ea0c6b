import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors/errors.ts';

/** The texts of a form, and its file. */
interface ReadForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: { readonly name: string; readonly type: string; readonly content: Uint8Array } | undefined;
}

/** Undefined if the body is no multipart form. `fileField`: the name of the field with the file. */
export async function formOf(
  { headers, body }: FastifyRequest,
  fileField = 'file',
): Promise<ReadForm | undefined> {
  const type = headers['content-type'] ?? '';
  if (!/^multipart\/form-data/i.test(type)) return undefined;
  const form = await new Response(new Uint8Array(body as Buffer), { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw new ServiceError('invalid_request', 'The body is not a valid multipart form.', { param: 'body' });
    });
  const fields: Record<string, string> = {};
  let file: ReadForm['file'];
  for (const [name, value] of form)
    if (typeof value === 'string') fields[name] = value;
    else if (name === fileField)
      file = {
        name: nameOf(value.name),
        type: value.type,
        content: new Uint8Array(await value.arrayBuffer()),
      };
  return { fields, file };
}

/** A file name without folders and control characters. */
function nameOf(given: string): string {
  const name =
    given
      .replaceAll('\\', '/')
      .split('/')
      .at(-1)
      ?.replaceAll(/\p{Cc}/gu, '')
      .trim() ?? '';
  return name.slice(-200) || 'document';
}
