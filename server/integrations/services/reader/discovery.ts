import { type Document, entriesOf, list, paramOf, record, slugOf, textOf, unique } from './document.ts';
import { pagesOf } from './pages.ts';
import type { Described, MadeCall, Offered } from './described.ts';
import { type Schemas, schemasOf } from './schemas.ts';

/** Reads a description in the form of Google's Discovery. Throws `service_invalid`. */
export function readDiscovery(root: Document): Described {
  const title = textOf(root['title'], 60) ?? textOf(root['name'], 60) ?? 'API';
  const methods: (Offered & { readonly given: Document })[] = [];
  const ids = new Set<string>();
  collect(root, 0, methods, ids);
  const base = `${plainText(root['rootUrl'])}${plainText(root['servicePath'])}`.replace(/\/+$/, '');
  return {
    form: 'discovery',
    title,
    doc: textOf(root['description'], 500) ?? `The API of ${title}.`,
    version: [textOf(root['version'], 40), textOf(root['revision'], 40)].filter(Boolean).join(', revision '),
    page: textOf(root['documentationLink'], 500),
    base,
    variables: {},
    offered: methods,
    make(wanted) {
      const schemas = schemasOf({
        root,
        find(ref) {
          const all = record(root['schemas']);
          return Object.hasOwn(all, ref) ? { name: ref, value: all[ref] } : undefined;
        },
      });
      const picked = methods.filter(({ id }) => wanted.has(id));
      const calls = picked.map((one) => callOf(one, schemas));
      const scopes = [
        ...new Set(picked.flatMap(({ given }) => list(given['scopes']).slice(0, 1).map(String))),
      ];
      return {
        calls,
        connect: [{ kind: 'oauth2', provider: 'google', scopes: scopes.slice(0, 50) }],
        definitions: schemas.definitions(),
        errors: { message: 'error.message', code: 'error.status' },
      };
    },
  };
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const MAX_DEPTH = 10;

function collect(
  at: Document,
  depth: number,
  out: (Offered & { readonly given: Document })[],
  ids: Set<string>,
): void {
  if (depth > MAX_DEPTH) return;
  for (const [, one] of entriesOf(at['methods'])) {
    const given = record(one);
    const name = (plainText(given['id']) || 'call').replace(/^[^.]*\./, '');
    const id = unique(slugOf(name), ids);
    const method = String(given['httpMethod']);
    if (!/^(?:GET|HEAD|POST|PUT|PATCH|DELETE)$/.test(method) || typeof given['path'] !== 'string') continue;
    out.push({
      id,
      title: titleOf(name),
      doc: textOf(given['description'], 1000) ?? titleOf(name),
      method: method as Offered['method'],
      path: `/${given['path'].replace(/^\/+/, '')}`,
      tags: [textOf(name.split('.').slice(0, -1).join(' '), 60) ?? 'other'],
      isOld: given['deprecated'] === true,
      given,
    });
  }
  for (const [, resource] of entriesOf(at['resources'])) collect(record(resource), depth + 1, out, ids);
}

/** `spreadsheets.values.append` is “Append: spreadsheets values”. */
function titleOf(name: string): string {
  const parts = name.split('.');
  const verb = (parts.at(-1) ?? '').replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  const what = parts.slice(0, -1).join(' ');
  const text = `${verb.charAt(0).toUpperCase()}${verb.slice(1)}${what === '' ? '' : `: ${what}`}`;
  return textOf(text, 80) ?? 'Call';
}

function callOf(one: Offered & { readonly given: Document }, schemas: Schemas): MadeCall {
  const { given } = one;
  const names = new Set<string>();
  const inAddress = entriesOf(given['parameters']).flatMap(([name, value]) => {
    const { location, repeated, required, description } = record(value);
    if (location !== 'path' && location !== 'query') return [];
    const schema = schemas.schema({ ...record(value), description: undefined, required: undefined });
    const param = paramOf(name, names);
    return [
      {
        name: param,
        ...(param !== name && { wire: name }),
        in: location,
        doc: textOf(description, 1000) ?? name,
        schema: repeated === true ? { type: 'array', items: schema } : schema,
        required: required === true || location === 'path',
      } as const,
    ];
  });
  const request = schemas.followed(given['request']);
  const inBody = entriesOf(request['properties'])
    .filter(([name, value]) => record(value)['readOnly'] !== true && !name.includes('.'))
    .map(([name, value]) => {
      const param = paramOf(name, names);
      return {
        name: param,
        ...(param !== name && { wire: name }),
        in: 'body',
        doc: textOf(record(value)['description'], 1000) ?? name,
        schema: schemas.schema(value),
        required: false,
      } as const;
    });
  const response = given['response'];
  const answer = {
    as: response === undefined ? ('none' as const) : ('json' as const),
    schema: response === undefined ? {} : schemas.schema(response),
  };
  const all = [...inAddress, ...inBody];
  const pages = pagesOf({ parameters: all, answer, schemas, hasLink: false });
  const paging = new Set(pages?.takes);
  return {
    ...one,
    parameters: all.filter(({ name }) => !paging.has(name)).slice(0, 100),
    ...(given['request'] !== undefined && { body: { send: 'json' } }),
    answer,
    ...(pages && { pages: pages.pages }),
    failure: {},
  };
}
