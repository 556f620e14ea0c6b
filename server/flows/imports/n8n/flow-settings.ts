import type { Flow, FlowSettings } from '#shared/flow.ts';
import type { Job } from './job.ts';

/** Settings of a workflow that change nothing here. */
const HARMLESS = new Set([
  'executionOrder',
  'callerPolicy',
  'callerIds',
  'availableInMCP',
  'timeSavedPerExecution',
  'timeSavedMode',
  'binaryMode',
]);

/** Tags and settings of a workflow; those without a place here are told. */
export function flowSettings(job: Job): Pick<Flow, 'tags' | 'settings'> {
  const { workflow, report } = job;
  const settings: FlowSettings = {};
  for (const [name, value] of Object.entries(workflow.settings)) {
    const take = TAKEN[name];
    if (take) take(value, settings, job);
    else if (!HARMLESS.has(name))
      report.change({
        what: 'setting',
        effect: 'changed',
        before: `${name}: ${JSON.stringify(value)}`,
        message: 'What is recorded of runs is a setting of the server and of the flow.',
      });
  }
  if (workflow.active)
    report.change({
      what: 'setting',
      effect: 'changed',
      before: 'active: true',
      message: 'It was live; here it is a draft until you publish it.',
    });
  const tags = tagsOf(workflow.tags);
  return { ...(tags.length > 0 && { tags }), ...(Object.keys(settings).length > 0 && { settings }) };
}

const isGiven = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value !== 'DEFAULT';

/** The time zone of the workflow; undefined if it has that of its instance. */
export function zoneOf({ workflow }: Pick<Job, 'workflow'>): string | undefined {
  const zone = workflow.settings['timezone'];
  return isGiven(zone) ? zone.slice(0, 64) : undefined;
}

const TAKEN: Readonly<Record<string, (value: unknown, settings: FlowSettings, job: Job) => void>> = {
  timezone(value, settings) {
    if (isGiven(value)) settings.timezone = value.slice(0, 64);
  },
  executionTimeout(value, settings) {
    if (typeof value === 'number' && value > 0) settings.timeoutMs = Math.min(value * 1000, 86_400_000);
  },
  errorWorkflow(value, settings, { around, report }) {
    if (!isGiven(value)) return;
    const id = around.flowOf(value);
    if (id !== undefined) {
      settings.onFailure = id;
      return;
    }
    report.need({
      kind: 'flow',
      name: value,
      nodes: [],
      message: `Import the workflow ${value} too: it is started after a failure.`,
    });
    report.change({
      what: 'setting',
      effect: 'lost',
      before: `errorWorkflow: ${value}`,
      message: 'The workflow for errors is not in the import; name a flow in the settings.',
    });
  },
};

function tagsOf(given: readonly string[]): string[] {
  const tags = new Set(given.map((tag) => tag.slice(0, 40).trim()));
  return [...tags].filter((tag) => tag !== '').slice(0, 20);
}
