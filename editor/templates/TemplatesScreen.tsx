import { Link } from '@tanstack/react-router';
import { Store } from 'lucide-react';
import { useState } from 'react';
import { TEMPLATE_PURPOSES } from '#shared/template.ts';
import { HomePage } from '../session/HomePage.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { ToggleButtons } from '../ui/ToggleButtons.tsx';
import { Gallery } from './Gallery.tsx';
import { PURPOSE_TITLES } from './template-list.ts';

const CHOICES = TEMPLATE_PURPOSES.map((value) => ({ value, label: PURPOSE_TITLES[value] }));

/** Flows to begin with, by purpose. */
export function TemplatesScreen() {
  const [query, setQuery] = useState('');
  const [purposes, setPurposes] = useState<readonly string[]>([]);
  return (
    <HomePage
      title="Templates"
      actions={
        <>
          <SearchInput
            value={query}
            onValueChange={setQuery}
            label="Search templates"
            className="w-64 max-sm:order-last max-sm:w-full"
          />
          <Link
            to="/shop"
            className="inline-flex h-8 items-center gap-1.5 rounded-md border border-line-strong/60 bg-surface px-3 font-medium hover:bg-surface-3"
          >
            <Store aria-hidden className="size-4" />
            Small shop
          </Link>
        </>
      }
    >
      <ToggleButtons label="Purposes" options={CHOICES} chosen={purposes} onChange={setPurposes} />
      <Gallery
        query={query}
        purposes={purposes}
        onAll={() => {
          setQuery('');
          setPurposes([]);
        }}
      />
    </HomePage>
  );
}
