import { expect as base } from '@playwright/test';
import { PATIENCE_MS } from './eventually.ts';

/** Playwright's, which waits as long as all tests do. */
export const expect = base.configure({ timeout: PATIENCE_MS });
