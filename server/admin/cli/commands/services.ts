import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ServiceOffer } from '#shared/service-api.ts';
import { loadOperators } from '../../../base/authored/load-operators.ts';
import type { ProviderHttp } from '../../../base/outbound/client.ts';
import { createOutbound, optionsOf } from '../../../base/outbound/outbound.ts';
import { infoOf, offerOf, serviceFor } from '../../../integrations/services/add-service.ts';
import { groupsOf, openServices, type Services } from '../../../integrations/services/services.ts';
import { servicesInDocuments, servicesInFolder } from '../../../integrations/services/stores.ts';
import { withData } from '../../control/with-data.ts';
import { count, type ExitCode, type Io, printable, UsageError, writeJson } from '../io.ts';
import { readSettings } from '../local/project.ts';

export interface AddOptions {
  readonly list: boolean;
  readonly calls: string | undefined;
  readonly id: string | undefined;
  readonly base: string | undefined;
  readonly replace: boolean;
  readonly json: boolean;
}

/** `weft services add`: reads a description, and makes operators of its calls. Exit code 1 if nothing was chosen. */
export async function addService(place: string, options: AddOptions, io: Io): Promise<ExitCode> {
  const given = placeOf(place, io);
  const config = readSettings(io);
  const http = createOutbound(optionsOf(config));
  try {
    const offer = await offerOf(http, given);
    if (options.list) return showOffer(offer, options.json, io);
    const calls = chosen(options.calls, offer);
    if (calls.length === 0) {
      showOffer(offer, options.json, io);
      io.stderr.write('\nNothing was added: choose calls with --calls, such as --calls a,b.\n');
      return 1;
    }
    return await put(http, { ...given, calls, base: options.base, id: options.id }, options, io);
  } finally {
    await http.close();
  }
}

interface Place {
  readonly address?: string;
  readonly text?: string;
}

function placeOf(place: string, io: Io): Place {
  if (/^https?:\/\//i.test(place)) return { address: place };
  const path = resolve(io.cwd, place);
  if (!existsSync(path)) throw new UsageError(`There is no ${path}, and it is no address with https://.`);
  return { text: readFileSync(path, 'utf8') };
}

function chosen(calls: string | undefined, { form, calls: offered }: ServiceOffer): string[] {
  if (form === 'service') return offered.map(({ id }) => id);
  return (calls ?? '').split(',').flatMap((id) => id.trim() || []);
}

function showOffer(offer: ServiceOffer, json: boolean, io: Io): ExitCode {
  if (json) {
    writeJson(io, offer);
    return 0;
  }
  const { title, version, calls } = offer;
  const width = Math.min(40, Math.max(...calls.map(({ id }) => id.length)));
  const lines = calls.map(
    ({ id, method, title: what, isOld }) =>
      `  ${id.padEnd(width)}  ${method.padEnd(6)}  ${printable(what)}${isOld ? ' (deprecated)' : ''}\n`,
  );
  io.stdout.write(
    `${printable(title)} ${printable(version)}: ${count(calls.length, 'call')}\n${lines.join('')}`,
  );
  return 0;
}

async function put(
  http: ProviderHttp,
  wish: Place & {
    readonly calls: string[];
    readonly base: string | undefined;
    readonly id: string | undefined;
  },
  { replace, json }: AddOptions,
  io: Io,
): Promise<ExitCode> {
  const file = await serviceFor(http, { ...wish, replaces: replace }, new Date().toISOString().slice(0, 10));
  await withServices(io, (services) => services.put(file, { replaces: replace }));
  if (json) writeJson(io, infoOf({ file, isShipped: false }));
  else io.stdout.write(`Added ${file.id}: ${file.calls.map(({ id }) => `${file.id}.${id}`).join(', ')}\n`);
  return 0;
}

/** `weft services list`. */
export async function listServices(json: boolean, io: Io): Promise<ExitCode> {
  const { all, problems } = await withServices(io, async (services) => ({
    all: (await services.list()).map(infoOf),
    problems: services.problems(),
  }));
  if (json) writeJson(io, all);
  else
    io.stdout.write(
      all
        .map(({ id, title, isShipped, calls }) => {
          return `${id.padEnd(20)}  ${printable(title)}, ${count(calls.length, 'call')}${isShipped ? '' : ', added'}\n`;
        })
        .join(''),
    );
  for (const { id, message } of problems)
    io.stderr.write(`warning: ${id} was skipped: ${printable(message)}\n`);
  return problems.length === 0 ? 0 : 1;
}

/** `weft services show`. */
export async function showService(id: string, json: boolean, io: Io): Promise<ExitCode> {
  const known = await withServices(io, (services) => services.get(id));
  if (json) {
    writeJson(io, known.file);
    return 0;
  }
  const { title, doc, source, page, calls, triggers } = infoOf(known);
  const line = (one: { type: string; title: string }): string => `  ${one.type}  ${printable(one.title)}\n`;
  io.stdout.write(
    `${printable(title)}: ${printable(doc)}\nsource: ${printable(source.address)}, ${source.date}\n${page === undefined ? '' : `page: ${printable(page)}\n`}${[...calls, ...triggers].map(line).join('')}`,
  );
  return 0;
}

/** `weft services remove`. */
export async function removeService(id: string, io: Io): Promise<ExitCode> {
  await withServices(io, (services) => services.remove(id));
  io.stderr.write(
    `Removed ${printable(id)}. Flows that are live go on with it until they are published again.\n`,
  );
  return 0;
}

/** The services of the folder of flows, which a server reads again by itself, or of the database. */
async function withServices<T>(io: Io, work: (services: Services) => Promise<T>): Promise<T> {
  const config = readSettings(io);
  const { operators: folder, packages, databaseUrl, flows } = config;
  const { registry } = await loadOperators({ builtIn: true, folder, packages });
  const taken = groupsOf(registry);
  if (databaseUrl === undefined) {
    const services = await openServices(servicesInFolder(flows[0] ?? '.'), taken);
    return work(services).finally(() => services.close());
  }
  return withData(
    config,
    async ({ documents }) => work(await openServices(servicesInDocuments(await documents()), taken)),
    () => Promise.reject(new UsageError('A server holds the data folder: use its API, or its editor.')),
  );
}
