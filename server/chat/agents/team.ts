import { type AgentResource, type InlineAgent, WeftError } from '#engine';
import type { App, AppDetail } from '#shared/app.ts';
import { sceneFault } from '../apps/native-scene.ts';
import { flowIdOf } from './flow-id.ts';

/** One agent, ready to work. */
export interface Member {
  readonly name: string;
  readonly prompt: string;
  /** The names of models, first choice first; undefined is the default of the server. Never empty. */
  readonly models: readonly (string | undefined)[];
  readonly resources: readonly AgentResource[];
}

/** The agents of an answer, and how they work together. */
export type Team =
  | { readonly mode: 'single'; readonly member: Member }
  | { readonly mode: 'plan'; readonly planner: Member; readonly members: readonly Member[] }
  | { readonly mode: 'flow'; readonly name: string; readonly flow: string };

/**
 * `wished` is the model of agents that name no model; undefined for the server's default. Throws `app_unusable` if the app
 * is too incomplete to answer.
 */
export function teamOf(app: App, wished: string | undefined): Team {
  switch (app.team_mode) {
    case 'native_app':
      checkScene(app);
      return singleTeam(app, wished);
    case 'single_agent':
      return singleTeam(app, wished);
    case 'auto_plan':
      return planningTeam(app, wished);
    case 'awel_layout':
      return { mode: 'flow', name: app.app_name, flow: layoutFlow(app) };
  }
}

function singleTeam(app: App, wished: string | undefined): Team {
  return { mode: 'single', member: memberOf(app.details[0], wished) ?? loneMember(app, wished) };
}

function checkScene(app: App): void {
  const fault = sceneFault(app);
  if (fault !== undefined) throw unusable(app, fault);
}

export function inlineTeam({ name, prompt, model, tools }: InlineAgent): Team {
  return { mode: 'single', member: { name, prompt, models: [model], resources: tools } };
}

function memberOf(detail: AppDetail | undefined, wished: string | undefined): Member | undefined {
  if (detail === undefined) return undefined;
  const { agent_name: name, prompt_template: prompt } = detail;
  const resources = detail.resources.map(({ needs_approval: needsApproval, ...resource }) => ({
    ...resource,
    needsApproval,
  }));
  return { name, prompt: prompt ?? '', models: modelsOf(detail, wished), resources };
}

/** An app without agents answers itself. */
function loneMember({ app_name: name, app_describe: prompt }: App, wished: string | undefined): Member {
  return { name, prompt, models: [wished], resources: [] };
}

function modelsOf(
  { llm_strategy: strategy, llm_strategy_value: value }: AppDetail,
  wished: string | undefined,
): Member['models'] {
  if (strategy === 'default') return [wished];
  const named = (value ?? '').split(',').flatMap((name) => name.trim() || []);
  return named.length > 0 ? named : [wished];
}

const PLANNER = 'Planner';

/**
 * The agent called Planner writes the plan and the report; without one, a built-in planner does. Its models are the one that the
 * caller requests, then those of the agents in their order.
 */
function planningTeam(app: App, wished: string | undefined): Team {
  const all = app.details.map((detail) => memberOf(detail, wished) as Member);
  const planner = all.find(({ name }) => name.toLowerCase() === PLANNER.toLowerCase());
  const members = all.filter((member) => member !== planner);
  if (members.length === 0)
    throw unusable(app, 'it has no agents in `details` that a plan could give work to');
  const double = members.find(({ name }, i) => members.findIndex((other) => other.name === name) !== i);
  if (double) throw unusable(app, `two of its agents are called \`${double.name}\``);
  const named = members.flatMap((member) => member.models).filter((model) => model !== wished);
  const models = [...(wished === undefined ? [] : [wished]), ...new Set(named)];
  const planning = models.length > 0 ? models : [wished];
  return {
    mode: 'plan',
    planner: planner ?? { name: PLANNER, prompt: '', models: planning, resources: [] },
    members,
  };
}

function layoutFlow(app: App): string {
  const flow = flowIdOf(app.team_context);
  if (flow !== undefined) return flow;
  throw unusable(app, 'its `team_context` names no flow: give the id of one, or { "uid": "<id>" }');
}

function unusable({ app_name: name }: App, why: string): WeftError {
  return new WeftError('app_unusable', `The app \`${name}\` cannot answer: ${why}.`);
}
