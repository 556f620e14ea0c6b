import type { ServiceFile } from '#shared/service-file.ts';
import { ServiceError } from '../../base/errors/errors.ts';

const SHOWN = 5;

/** Reads a file of a service. Throws `service_invalid`, which says where it is wrong. */
export async function readServiceText(text: string): Promise<ServiceFile> {
  return readService(parsed(text));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ServiceError('service_invalid', `The file is no JSON: ${(error as Error).message}`);
  }
}

export async function readService(content: unknown): Promise<ServiceFile> {
  const { ServiceFile: schema } = await import('#shared/service-file.ts');
  const { data, error } = schema.safeParse(content);
  if (data !== undefined) return data;
  const faults = error.issues.slice(0, SHOWN).map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new ServiceError('service_invalid', `The file is no service. ${faults.join(' ')}`.slice(0, 2000));
}
