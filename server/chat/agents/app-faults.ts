import { WeftError } from '#engine';
import type { App, AppResource } from '#shared/app.ts';
import { appWarnings } from '#shared/app-warnings.ts';
import { type ConnectionInfo, lackingConnectionGrant } from '#shared/connection.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import { flowIdOf } from './flow-id.ts';
import { parseObject } from './parse-object.ts';
import { teamOf } from './team.ts';
import { toolTrigger } from './tools/flow-tools.ts';

/** The objects that resources of apps may name. */
export interface Named {
  readonly live: (id: string) => LiveFlow | undefined;
  /** The names of the knowledge spaces. */
  readonly spaces: () => Promise<readonly string[]>;
  readonly connections: () => readonly Pick<ConnectionInfo, 'name' | 'grants'>[];
}

/** The reason why a resource cannot be used; undefined if none is known before its use. */
type FaultOf = (
  resource: AppResource,
  app: App,
  named: Named,
) => string | undefined | Promise<string | undefined>;

const faultsByType: Readonly<Record<string, FaultOf>> = {
  flow: flowFault,
  awel_flow: flowFault,
  knowledge: spaceFault,
  database: connectionFault,
  http: addressFault,
  mcp: addressFault,
  tool: addressFault,
};

/**
 * The resources that the agents of an app cannot use, and the reason why it cannot answer. Reported on save, because a run
 * reports it only to the model. Servers of tools are not contacted.
 */
export async function appFaults(app: App, named: Named): Promise<string[]> {
  const all = app.details.flatMap(({ agent_name, resources }) =>
    resources.map((resource) => ({ agent_name, resource })),
  );
  const found = await Promise.all(
    all.map(async ({ agent_name, resource }) => {
      const fault = await faultsByType[resource.type]?.(resource, app, named);
      return fault === undefined
        ? []
        : [`${agent_name} cannot use ${resource.name || 'a resource'} yet: ${fault}.`];
    }),
  );
  return [...teamFaults(app, named), ...appWarnings(app), ...found.flat()];
}

function teamFaults(app: App, { live }: Named): string[] {
  const fault = said(() => {
    const team = teamOf(app, undefined);
    if (team.mode === 'flow' && live(team.flow) === undefined)
      throw new WeftError(
        'app_unusable',
        `The app \`${app.app_name}\` cannot answer yet: there is no live flow \`${team.flow}\`, which \`team_context\` names.`,
      );
  });
  return fault === undefined ? [] : [fault];
}

function flowFault({ name, value }: AppResource, _app: App, { live }: Named): string | undefined {
  const id = flowIdOf(value) ?? name;
  const flow = live(id);
  if (flow === undefined) return `there is no live flow \`${id}\``;
  return said(() => void toolTrigger(flow, parseObject(value)?.['trigger']));
}

async function spaceFault({ value }: AppResource, _app: App, { spaces }: Named): Promise<string | undefined> {
  const fields = parseObject(value);
  const space = fields ? (fields['space'] ?? fields['space_name'] ?? fields['value']) : value;
  if ((await spaces()).some((one) => one === space)) return undefined;
  return `there is no knowledge space ${quoted(space)}`;
}

function connectionFault(
  { value }: AppResource,
  { app_code }: App,
  { connections }: Named,
): string | undefined {
  const fields = parseObject(value);
  const name = fields ? (fields['connection'] ?? fields['db_name'] ?? fields['value']) : value;
  const found = connections().find((one) => one.name === name);
  if (found === undefined) return `there is no connection ${quoted(name)}`;
  const lack = lackingConnectionGrant(found.grants, { flow: `app:${app_code}`, operator: 'agent.run' });
  return lack === undefined ? undefined : `the connection ${quoted(name)} is not granted ${lack}`;
}

function addressFault({ value }: AppResource): string | undefined {
  const fields = parseObject(value);
  const url = fields ? fields['url'] : value;
  if (typeof url === 'string' && /^https?:\/\//i.test(url)) return undefined;
  return `its value has to be an address that begins with https:// or http://, and not ${quoted(url)}`;
}

function quoted(value: unknown): string {
  return JSON.stringify(value ?? '').slice(0, 100);
}

/** The error of a check, as text. */
function said(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof WeftError) return error.message.replace(/\.$/, '');
    throw error;
  }
}
