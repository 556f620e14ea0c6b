import type { KeptMail, ShopState } from '#shared/shop.ts';
import type { Template, TemplateFlow, UseTemplateBody } from '#shared/template.ts';
import { call } from './client.ts';

/** Flows to begin with, and the small shop that they run with. */
const TEMPLATES = '/api/v1/templates';
const schemas = () => import('./service-schemas.ts');

export const listTemplates = (): Promise<Template[]> =>
  call(async () => (await schemas()).Templates, 'GET', TEMPLATES);

/** Makes a draft of a template. */
export const flowFromTemplate = (id: string, body: UseTemplateBody): Promise<TemplateFlow> =>
  call(async () => (await schemas()).TemplateFlow, 'POST', `${TEMPLATES}/${encodeURIComponent(id)}/flows`, {
    body,
  });

const SHOP = '/api/v1/shop';

export const readShop = (): Promise<ShopState> => call(async () => (await schemas()).ShopState, 'GET', SHOP);

export const switchShop = (on: boolean): Promise<ShopState> =>
  call(async () => (await schemas()).ShopState, 'PUT', SHOP, { body: { on } });

/** The mails that were kept in place of being sent, newest first. */
export const listMails = (): Promise<KeptMail[]> =>
  call(async () => (await schemas()).KeptMails, 'GET', `${SHOP}/mails`);

export const removeMails = (): Promise<unknown> => call((s) => s.Anything, 'DELETE', `${SHOP}/mails`);
