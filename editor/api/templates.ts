import type { Template, TemplateFlow, UseTemplateBody } from '#shared/template.ts';
import { call } from './client.ts';

/** Flows to begin with. */
const TEMPLATES = '/api/v1/templates';
const schemas = () => import('./service-schemas.ts');

export const listTemplates = (): Promise<Template[]> =>
  call(async () => (await schemas()).Templates, 'GET', TEMPLATES);

/** Makes a draft of a template. */
export const flowFromTemplate = (id: string, body: UseTemplateBody): Promise<TemplateFlow> =>
  call(async () => (await schemas()).TemplateFlow, 'POST', `${TEMPLATES}/${encodeURIComponent(id)}/flows`, {
    body,
  });
