import { CircleCheck, CircleX, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Package } from '#shared/package-api.ts';
import { call } from '../api/client.ts';
import type { ListDefinition } from '../lists/list-model.ts';
import { Badge, type Tone } from '../ui/Badge.tsx';
import { countText } from '../ui/format.ts';

const listPackages = (): Promise<readonly Package[]> =>
  call(async () => (await import('../api/service-schemas.ts')).Packages, 'GET', '/api/v1/packages');

/** The npm packages that bring operators, as a list. */
export function packageList(details: (one: Package) => ReactNode): ListDefinition<Package> {
  return {
    title: 'Packages',
    noun: 'package',
    reads: 'packages',
    load: async () => ({ items: await listPackages() }),
    idOf: ({ name }) => name,
    nameOf: ({ name }) => name,
    columns: [
      { name: 'Package', className: 'w-64 max-sm:w-auto', text: ({ name }) => name },
      { name: 'Version', className: 'w-28 max-md:hidden', text: ({ version }) => version ?? '—' },
      { name: 'Description', className: 'max-lg:hidden', text: ({ description }) => description ?? '' },
      {
        name: 'Operators',
        className: 'w-28 max-md:hidden',
        text: ({ operators }) => String(operators.length),
      },
      { name: 'State', className: 'w-36', text: stateText, cell: (one) => <State package={one} /> },
    ],
    filters: [{ name: 'State', of: stateText }],
    details,
  };
}

const stateText = (one: Package): string => stateOf(one)[2];

function State({ package: one }: { package: Package }) {
  const [tone, icon, text] = stateOf(one);
  return (
    <Badge tone={tone} icon={icon}>
      {text}
    </Badge>
  );
}

function stateOf({ version, operators, problems }: Package): readonly [Tone, LucideIcon, string] {
  if (problems.length === 0) return ['ok', CircleCheck, 'Loaded'];
  if (problems.some(({ code }) => code === 'package_missing')) return ['bad', CircleX, 'Not installed'];
  if (version === undefined) return ['bad', CircleX, 'Damaged'];
  if (operators.length === 0) return ['bad', CircleX, 'Not loaded'];
  return ['warn', TriangleAlert, countText(problems.length, 'problem')];
}
