import { type DataService, type FileService, type FolderService, rootOf, type Services } from '#engine';
import type { Db } from '../base/adapters/db.ts';
import type { Late } from '../base/parts/late.ts';
import { foldersOfConnections } from '../base/files/data-folder.ts';
import { lazyService } from '../base/parts/lazy.ts';
import type { Base, Outside } from '../base/open-base.ts';
import type { ProviderHttp } from '../base/outbound/client.ts';
import type { SharedBuckets } from '../base/rates/buckets.ts';
import type { Untrusted } from '../base/secrets/store.ts';
import type { Sql } from '../storage/database/sql.ts';
import type { FolderDeps } from '../storage/file-store/folders.ts';
import { type FileStores, fileServices } from '../storage/open-stores.ts';
import { type Connections, openConnections } from './connections/connections.ts';
import type { ConnectionDeps } from './connections/open-connections.ts';
import { createDocuments, type Documents } from './documents/documents.ts';
import { createKnowledge, type Knowledge } from './knowledge/knowledge.ts';
import type { KnowledgeDeps } from './knowledge/open-knowledge.ts';
import { createModelSettings, type ModelSettingsStore } from './models/model-settings.ts';
import { createModels, type Models, type ModelsDeps } from './models/models.ts';
import { createProviderStore, type ProviderStore } from './models/provider-store.ts';
import type { CodeSandbox } from './sandbox/code-service.ts';
import { createCode } from './sandbox/create-code.ts';

/** The integrations that flows can use. */
export interface Integrations {
  readonly connections: Connections;
  /** Sends requests to addresses, and through connections that they name. */
  readonly http: ProviderHttp;
  /** Questions about databases. */
  readonly data: DataService;
  /** Files for operators. */
  readonly files: FileService;
  readonly folders: FolderService;
  readonly documents: Documents;
  /** Undefined if code is disabled. */
  readonly code: CodeSandbox | undefined;
  readonly providers: ProviderStore;
  readonly models: Models;
  readonly modelSettings: ModelSettingsStore;
  readonly knowledge: Knowledge;
}

interface IntegrationsDeps {
  readonly documents: Db;
  /** The database that servers share; absent if there is none. */
  readonly database: Sql | undefined;
  /** The rows of all stores. */
  readonly sql: Sql;
  /** Limits that servers count together. */
  readonly buckets: SharedBuckets | undefined;
  readonly stores: FileStores;
  /** Unix milliseconds, by the clock that servers share. */
  readonly now: () => number;
  /** Runs in progress that get only secrets limited to known hosts. */
  readonly untrusted: ReadonlyMap<string, Untrusted>;
  /** Adds tracing to the requests. */
  readonly watched: (http: ProviderHttp) => ProviderHttp;
  /** All services of operators. */
  readonly services: Late<Services>;
  /** Whether a run may hold a file that stays in its folder. */
  readonly mayLink: (run: string) => Promise<boolean>;
  /** Replaces the models of the providers. */
  readonly models: Models | undefined;
  readonly onSpent: ModelsDeps['onSpent'];
  readonly recordLoad: KnowledgeDeps['record'];
  readonly lackingFormat: ConnectionDeps['lackingFormat'];
}

/** Opens them; `knowledge.resume()` then continues with unfinished documents. */
export function openIntegrations(base: Base, outside: Outside, deps: IntegrationsDeps): Integrations {
  const { config, log } = base;
  const { stores, documents: db } = deps;
  const link: FolderDeps['link'] = async (place, by) => {
    const run = rootOf(by);
    return (await deps.mayLink(run))
      ? (await stores.files.link(place, { kind: 'run', id: run })).value
      : undefined;
  };
  const sent = deps.watched(outside.http);
  const connections = connectionsOf(base, outside, deps, sent);
  const http = throughConnections(sent, connections);
  const connected: FolderDeps['connected'] = async (...asked) => connections.store(...asked);
  const { files, folders } = fileServices(base, stores, { http, connected, link });
  const documents = createDocuments();
  const providers = createProviderStore(db, config.providers);
  const modelSettings = createModelSettings(db);
  const models =
    deps.models ??
    createModels({
      providers,
      preferred: config.model,
      aliases: config.modelAliases,
      settings: modelSettings,
      http,
      secrets: outside.secrets,
      ...(deps.onSpent && { onSpent: deps.onSpent }),
      readFiles: async (...asked) =>
        (await import('./models/model-files.ts')).readFiles({ files, documents }, ...asked),
    });
  return {
    connections,
    http,
    data: lazyService(
      async () => (await import('./questions/data-questions.ts')).createDataQuestions({ connections }),
      ['scheme', 'read'],
    ),
    files,
    folders,
    documents,
    code: createCode(config, { services: deps.services.get, warn: (message) => log.warn(message) }),
    providers,
    models,
    modelSettings,
    knowledge: knowledgeOf(base, deps, models),
  };
}

function connectionsOf(
  { config, redactor }: Base,
  { secrets: sealer, sockets }: Outside,
  { documents: db, untrusted, now, buckets, sql, lackingFormat }: IntegrationsDeps,
  http: ProviderHttp,
): Connections {
  const { folders, mails } = foldersOfConnections(config);
  return openConnections({
    ...{ db, sealer, redactor, sockets, folders, mails },
    ...{ http, untrusted, now, buckets, sql, lackingFormat },
  });
}

/** Requests that name a connection are sent by it. */
function throughConnections(http: ProviderHttp, connections: Connections): ProviderHttp {
  return {
    send: (request, by, signal, reach) =>
      request.connection === undefined
        ? http.send(request, by, signal, reach)
        : connections.send(request, by, signal),
  };
}

function knowledgeOf(
  { config: { data, process: one }, log }: Base,
  { database, services, recordLoad }: IntegrationsDeps,
  models: Models,
): Knowledge {
  const isOwn = ({ default: first, use, provider }: ReturnType<Models['list']>[number]): boolean =>
    first && use === 'embedding' && provider !== 'demo';
  return createKnowledge({
    data: one?.shared ?? data,
    isShared: one !== undefined,
    database,
    services: services.get,
    // The demo's vectors only compare words, which the search does better without them.
    defaultModel: () => models.list().find(isOwn)?.id,
    findModel: (name) => models.find(name, 'embedding').id,
    warn: (err, text) => log.warn({ err }, text),
    record: recordLoad,
  });
}
