import type { Access } from './access.ts';
import { type ApiDocument, type Call, wholeSchema } from './document.ts';
import { element, prose, withCode } from './element.ts';
import { tryForm } from './try-form.ts';

/** One call, collapsed; its content is created when it is opened. */
export function callView(call: Call, api: ApiDocument, access: Access): HTMLElement {
  const { method, path, operation } = call;
  const view = element(
    'details',
    { 'data-words': `${method} ${path} ${operation.summary}`.toLowerCase() },
    element(
      'summary',
      {},
      element('b', { class: `method ${method.toLowerCase()}` }, method),
      element('code', {}, path),
      element('span', {}, ...withCode(operation.summary)),
    ),
  );
  view.addEventListener('toggle', () => view.append(...inside(call, api, access)), { once: true });
  return view;
}

function inside(call: Call, api: ApiDocument, access: Access): HTMLElement[] {
  const { description = '', security, responses } = call.operation;
  return [
    ...prose(description),
    element('p', { class: 'needs' }, needs(security)),
    element('h3', {}, 'Try it'),
    tryForm(call, api, access),
    element('h3', {}, 'Answers'),
    ...Object.entries(responses).map(([status, answer]) => answerView(status, answer, api)),
  ];
}

function needs(security: Call['operation']['security']): string {
  if (security.length === 0) return 'Open to everybody.';
  const ways = security.map((way) =>
    Object.entries(way)
      .map(([scheme, scopes]) => (scopes.length > 0 ? `${scheme} (${scopes.join(', ')})` : scheme))
      .join(' + '),
  );
  return `Needs ${ways.join(' or ')}.`;
}

function answerView(
  status: string,
  { description, content = {} }: Call['operation']['responses'][string],
  api: ApiDocument,
): HTMLElement {
  const shapes = Object.entries(content).map(([type, { schema }]) => {
    const text = schema ? JSON.stringify(wholeSchema(schema, api), null, 2) : 'anything';
    return element('details', {}, element('summary', {}, type), element('pre', { tabindex: '0' }, text));
  });
  return element('section', { class: 'answer' }, element('b', {}, status), ...prose(description), ...shapes);
}
