import { version } from '../../../access/http/version.ts';
import { tags } from '../define-route.ts';
import type { DescribedRoute } from './description.ts';
import { ErrorAnswer } from './errors.ts';
import type { OpenApi, Tag } from './openapi.ts';
import { platformPaths } from './platform-paths.ts';
import { createSchemaPool } from './schemas.ts';
import { platformSchemes } from './security.ts';
import { type DescribedTrigger, triggerPaths } from './trigger-paths.ts';

/** Everything that the OpenAPI document of this server is made of. */
export interface DocumentParts {
  /** The public address of the server; if undefined, the document uses the address that it was requested from. */
  readonly publicUrl: string | undefined;
  /** The origin of triggers, if it differs. */
  readonly triggerOrigin: string | undefined;
  readonly port: number;
  readonly routes: readonly DescribedRoute[];
  readonly triggers: readonly DescribedTrigger[];
}

/** The API as an OpenAPI 3.1 document. */
export function buildDocument({ routes, triggers, ...where }: DocumentParts): OpenApi {
  const { publicUrl, triggerOrigin, port } = where;
  const pool = createSchemaPool();
  pool.add('Error', () => pool.answered(ErrorAnswer));
  const platform = platformPaths(routes, pool);
  const live = triggerPaths(triggers, pool, triggerOrigin);
  const paths = { ...platform, ...live.paths };
  return {
    openapi: '3.1.0',
    info: { title: 'Weft', version, description: introduction },
    servers: [{ url: publicUrl ?? '/' }],
    tags: usedTags(paths, triggers),
    paths,
    components: {
      schemas: pool.schemas,
      securitySchemes: { ...(routes.length > 0 && platformSchemes(port)), ...live.schemes },
    },
  };
}

const introduction = `Answers of the platform are \`{"success", "err_code", "err_msg", "data"}\`; every error, including those of triggers, has the body \`Error\`. \`GET\` paths answer \`HEAD\` as well.

Live triggers are described to callers with the scope \`flows:read\`. The draft of a flow answers below \`/api/v1/flows/{id}/test/\`, and its live triggers answer below \`/api/v1/awel/trigger/\`.`;

function usedTags(paths: OpenApi['paths'], triggers: readonly DescribedTrigger[]): Tag[] {
  const used = new Set(
    Object.values(paths).flatMap((item) => Object.values(item).flatMap((one) => one.tags)),
  );
  const flows = new Map(triggers.map(({ route: { flow } }) => [flow.id, flow.flow.name]));
  return [
    ...tags.filter((name) => used.has(name)).map((name) => ({ name })),
    ...[...flows].filter(([id]) => used.has(id)).map(([id, name]) => ({ name: id, description: name })),
  ];
}
