import { expect, test } from 'vitest';
import { draftLook } from './form.ts';
import { formHtml, leadHtml, resultHtml, sentHtml } from './form-html.ts';

const filled = { address: '/form/kontakt', once: '', typed: {}, wasSent: false };

test.each([
  ['de', '<html lang="de">'],
  ['pt-BR', '<html lang="pt-BR">'],
  [undefined, '<html lang="en">'],
])('all pages of a form with the language %s say so', (lang, shown) => {
  const look = draftLook({ title: 'Kontakt', ...(lang !== undefined && { lang }) });
  const pages = [
    formHtml(look, filled),
    sentHtml(look, 'Danke', '/form/kontakt'),
    resultHtml(look, { a: 1 }, '/form/kontakt'),
    leadHtml(look, 'https://example.com/'),
  ];
  for (const page of pages) expect(page).toContain(shown);
});
