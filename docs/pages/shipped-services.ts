import { describeService } from '#engine/services';
import type { OperatorInfo } from '#shared/catalog.ts';
import type { ServiceFile } from '#shared/service-file.ts';
import type { ServiceConnect } from '#shared/service-parts.ts';
import { code, page, table } from './markdown.ts';
import { operatorParts } from './operators.ts';

/** The list of the services of the product, and one page for each. */
export function shippedServicePages(files: readonly ServiceFile[]): Record<string, string> {
  const rows = files.map(({ id, title, doc, calls, triggers }) => [
    `[${title}](services/${id}.md)`,
    doc,
    `${calls.filter(({ hidden }) => !hidden).length}`,
    `${triggers.length}`,
  ]);
  const index = page(
    '# Services of the product',
    'Each is a file of data; [services.md](../services.md) says how to add one.',
    table(['service', 'what it has', 'calls', 'triggers'], rows),
  );
  const pages = files.map((file) => [`services/${file.id}.md`, servicePage(file)] as const);
  return { 'shipped-services.md': index, ...Object.fromEntries(pages) };
}

function servicePage(file: ServiceFile): string {
  const infos = Object.values(describeService(file));
  return page(
    `# ${file.title}`,
    `${file.doc} All services: [shipped-services.md](../shipped-services.md).`,
    '## Connect',
    ...file.connect.map(wayText),
    rateText(file),
    '## What was tried',
    triedText(file),
    '## What it has',
    table(
      ['operator', 'title', 'what it does'],
      infos.map((info) => [`[${code(info.type)}](#${anchor(info)})`, info.title, info.doc]),
    ),
    errorsText(file),
    ...infos.flatMap((info) => operatorParts({ ...info, examples: info.examples.slice(0, 1) })),
  );
}

function anchor({ type }: OperatorInfo): string {
  return type.replaceAll('.', '');
}

function wayText(way: ServiceConnect): string {
  switch (way.kind) {
    case 'none':
      return 'It needs no connection.';
    case 'oauth2': {
      const scopes = way.scopes.map(code).join(', ');
      const needs = scopes === '' ? '' : ` All calls together need ${scopes}; tick what your flows use.`;
      return `**By a sign-in**: a connection to ${code(way.provider)} ([sign-ins](../../oauth.md)).${needs}`;
    }
    case 'http':
      return `**${way.label}**: an [HTTP connection](../../connections.md#http) with the address of the service. ${way.help}`;
  }
}

function rateText({ rate }: ServiceFile): string {
  return rate === undefined ? '' : `A new connection gets the limit of ${rate.limit} uses a ${rate.per}.`;
}

function triedText({ source, page: about }: ServiceFile): string {
  const { address, version, date, met = 'Nothing was tried.' } = source;
  const more = about === undefined ? '' : ` The pages of the vendor: <${about}>.`;
  return `${met} It was made from <${address}> (${version}), as read on ${date}.${more}`;
}

function errorsText({ errors }: ServiceFile): string {
  const rows = errors.known.map(({ status, code: name, says, transient }) => [
    name === undefined ? '' : code(name),
    status === undefined ? '' : `${status}`,
    says,
    (transient ?? (status === 429 || (status ?? 0) >= 500)) ? 'yes' : '',
  ]);
  if (rows.length === 0) return '';
  return [
    'A refused call is the error `service_failed`, with the name and the words of the service. `retry` repeats those that may pass.',
    table(['name', 'status', 'what to do', 'may pass'], rows),
  ].join('\n\n');
}
