import { outboundProxySuite } from './outbound-proxy-suite.ts';

outboundProxySuite('tinyproxy');
