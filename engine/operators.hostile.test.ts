import { hostileContract } from './operators.hostile.contract.ts';

// Large values, and every hostile value for every param, are in `operators.hostile.full.test.ts`.
hostileContract({ isSample: true });
