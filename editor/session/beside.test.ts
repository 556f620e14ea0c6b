import { expect, test } from 'vitest';
import { ErrorBoundary } from '../ui/ErrorBoundary.tsx';
import { Beside } from './Part.tsx';

test('a part whose code cannot be loaded is left out, and what it stands beside stays', () => {
  const shown = Beside({ children: 'handles' });
  expect(shown.type).toBe(ErrorBoundary);
  const boundary = new ErrorBoundary(shown.props as ErrorBoundary['props']);
  boundary.componentDidCatch(new Error('The network is away.'));
  boundary.state = ErrorBoundary.getDerivedStateFromError(new Error('The network is away.'));
  expect(boundary.render()).toBeNull();
});
