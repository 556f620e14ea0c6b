import { SHOP } from '#shared/shop.ts';
import type { TemplateNeed } from '#shared/template.ts';

/** The things that ship with Weft for the needs of templates. */

/** Something that can meet a need of a template, as an entry of a list. */
export interface Choice {
  /** Its name, or the id of a model, as the flow will have it. */
  readonly value: string;
  readonly title: string;
  readonly text: string;
}

/** Where the small shop can be tried, for servers that do not have it. */
export const SHOP_ELSEWHERE =
  'The small shop is in the data folder of one server, so servers that share a database do not have it: try it on a server of its own.';

const SHOP_TEXTS: Readonly<Record<string, string>> = {
  [SHOP.database]:
    'Ships with Weft: a database with products, customers and orders, in a file of this server.',
  [SHOP.mail]:
    'Ships with Weft: nothing is sent. Mails are kept on this server, and you look at them under Small shop.',
  [SHOP.service]: 'Ships with Weft: this server answers in place of a service on the web.',
  [SHOP.handbook]: 'Ships with Weft: three pages about delivery, returns and care.',
};

/** Whether the small shop has it. */
export const isOfShop = ({ kind, name }: TemplateNeed): boolean =>
  kind !== 'secret' && kind !== 'model' && Object.hasOwn(SHOP_TEXTS, name);

/** By the name that the template has for it, with which the server makes it. */
export function shippedFor({ kind, name: value }: TemplateNeed): Choice | undefined {
  if (kind === 'secret')
    return { value, title: 'Generated for you', text: `A long random text, stored as the secret ${value}.` };
  if (kind === 'model')
    return { value, title: 'The built-in model', text: 'It needs no account, and answers by simple rules.' };
  const text = SHOP_TEXTS[value];
  return text === undefined ? undefined : { value, title: 'The small shop', text };
}

/** Whether something that ships with Weft meets the need. */
export const ships = (need: TemplateNeed): boolean => shippedFor(need) !== undefined;
