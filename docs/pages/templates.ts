import type { Template } from '#shared/template.ts';
import { code, page, table } from './markdown.ts';

const HEADINGS = {
  people: 'Forms and people',
  models: 'Models and chat',
  data: 'Tables and data',
  services: 'Services and events',
} as const;

/** `A database: its table `orders` has …` */
function needText({ title, text, expects }: Template['needs'][number]): string {
  return `*${title}*: ${expects ?? text}`;
}

/** All templates, by purpose: what each does, what it needs and what it is tested with. */
export function templatesPage(templates: readonly Template[]): string {
  const groups = Map.groupBy(templates, ({ purpose }) => purpose);
  return page(
    '# Templates',
    'Flows to begin with, as *Templates* in the editor and `GET /api/v1/templates` list them ([how they work](../templates.md)). Each has tests, and runs at once with what is built in.',
    ...[...groups].flatMap(([purpose, group]) => [
      `## ${HEADINGS[purpose]}`,
      table(
        ['template', 'does', 'needs', 'tests'],
        group.map(({ id, title, text, needs, tests }) => [
          `[${title}](../../server/flows/templates/shipped/${id}/${id}.json) (${code(id)})`,
          text,
          needs.map(needText).join(' ') || 'nothing',
          String(tests),
        ]),
      ),
    ]),
  );
}
