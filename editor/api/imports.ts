import type { ImportAnswer } from '#shared/import-report.ts';
import { call } from './client.ts';

/** Files of other products, such as n8n. */
interface FileText {
  readonly name: string;
  readonly text: string;
}

const schema = () => import('#shared/import-report.ts');

/** Reads the files as flows; with `save` they are stored as drafts. */
export function importFilesOf(
  files: readonly FileText[],
  wish: { readonly save: boolean; readonly open: boolean },
): Promise<ImportAnswer> {
  const body = { files: files.map(({ name, text }) => ({ path: name, text })), ...wish };
  return call(async () => (await schema()).ImportAnswer, 'POST', '/api/v1/imports', { body });
}

const YAML = /\.ya?ml$/i;

/** Whether a file is one of another product's, which the server reads: workflows with connections by name, or an app in YAML. */
export function isForeign({ name, text }: FileText): boolean {
  if (YAML.test(name)) return true;
  try {
    const value: unknown = JSON.parse(text);
    const list = isObject(value) && Array.isArray(value['data']) ? value['data'] : value;
    return Array.isArray(list)
      ? list.length > 0 && list.every(isWorkflow)
      : isWorkflow(value) || isApp(value);
  } catch {
    return false;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isWorkflow = (value: unknown): boolean =>
  isObject(value) && Array.isArray(value['nodes']) && isObject(value['connections']);

const isApp = (value: unknown): boolean => isObject(value) && value['kind'] === 'app';
