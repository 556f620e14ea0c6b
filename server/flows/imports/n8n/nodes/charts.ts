import { isRecord } from '#shared/json.ts';
import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { itemwise, listPort } from '../items.ts';
import type { Port } from '../graph.ts';
import { gives, type Given } from '../job.ts';
import { asText } from '../params.ts';
import { required } from '../text-steps.ts';
import { jsonValue } from './http.ts';

/** Charts that QuickChart draws: each item is a dataset of one chart. */

function chart(context: Context): Given {
  const { params, step } = context;
  const input = listPort(context, required(context)) as Port;
  const reads = context.reads(input);
  params.skip('chartOptions', 'datasetOptions', 'labelsUi', 'labelsMode');
  const type = chartType(context);
  const datasets = itemwise(context, input, {
    operator: 'core.map',
    params: {
      value: {
        labels: labelsOf(context, reads),
        dataset: {
          ...datasetOptions(context, reads),
          data: jsonValue(context, params.get('data') ?? [], reads),
          type,
        },
      },
    },
  });
  const made = context.add(`${step.name} chart`, {
    operator: 'core.map',
    params: {
      value: {
        type,
        data: { labels: '{{ [input[0]?.labels].flat().flat() }}', datasets: '{{ pluck(input, "dataset") }}' },
      },
    },
  });
  context.wire(`${datasets}.out`, `${made}.in`);
  const drawn = context.add(`${step.name} picture`, {
    operator: 'http.request',
    params: {
      url: 'https://quickchart.io/chart',
      query: { chart: '{{ toJson(input) }}', ...chartOptions(context) },
      response: 'file',
    },
  });
  context.wire(`${made}.out`, `${drawn}.in`);
  const field = params.text('output') ?? 'data';
  const item = context.add(`${step.name} item`, {
    operator: 'core.map',
    params: { value: { chart: `{{ nodes.${made} }}`, [field]: '{{ input }}' } },
  });
  context.wire(`${drawn}.file`, `${item}.in`);
  return gives(context.port(item, 'out', { card: 'one', aligned: new Set([step.name]) }));
}

function chartType({ params }: Context): string {
  const type = params.text('chartType') ?? 'bar';
  if (type.startsWith('=')) throw new NotHere('its kind of chart is worked out', ['http.request']);
  const isHorizontal = params.flag('chartOptions.horizontal') && ['bar', 'boxplot', 'violin'].includes(type);
  return isHorizontal ? `horizontal${type[0]?.toUpperCase()}${type.slice(1)}` : type;
}

function labelsOf(context: Context, reads: ReturnType<Context['reads']>): unknown {
  const { params } = context;
  if (params.text('labelsMode') === 'array')
    return jsonValue(context, params.get('labelsArray') ?? [], reads);
  return params.list('labelsUi.labelsValues').map(({ label }) => context.value(label ?? '', reads));
}

function datasetOptions(context: Context, reads: ReturnType<Context['reads']>): Record<string, unknown> {
  const given = context.params.get('datasetOptions');
  const options = isRecord(given) ? given : {};
  const { pointStyle, label, ...others } = context.value(options, reads) as Record<string, unknown>;
  // These kinds have another name for it.
  const styled = /boxplot|violin/i.test(context.params.text('chartType') ?? '') ? 'itemStyle' : 'pointStyle';
  return {
    label: label === undefined || label === '' ? 'Chart' : label,
    ...others,
    ...(pointStyle !== undefined && { [styled]: pointStyle }),
  };
}

function chartOptions({ params }: Context): Record<string, unknown> {
  const given = params.get('chartOptions');
  const options = isRecord(given) ? given : {};
  const worked = Object.values(options).some((one) => asText(one).startsWith('='));
  if (worked) throw new NotHere('its options are worked out', ['http.request']);
  return options;
}

export const chartEntries: readonly Entry[] = [
  {
    kind: 'quickChart',
    word: 'http',
    becomes: '`http.request` to https://quickchart.io/chart',
    difference: 'Options of the chart that an expression computes are a placeholder.',
    convert: chart,
  },
];
