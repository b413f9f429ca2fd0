import { expect } from 'chai';
import * as fc from 'fast-check';
import { contractOn, costOf, decimalOf } from '../../workers/domain/pricing.ts';

describe('the cost of services', () => {
  for (const [services, price, cost] of [
    [0, '1.80', '0.00'],
    [12, '1.80', '21.60'],
    [3, '0.3333', '1.00'],
    [1, '0.005', '0.01'],
    [1, '0.0049', '0.00'],
    [3, '0.115', '0.35'],
    [7, '10', '70.00'],
    [1_000_000_000, '9999999999.9999', '9999999999999900000.00'],
  ] as const)
    it(`is ${cost} for ${services} at ${price}`, () => {
      expect(decimalOf(costOf(services, price))).to.equal(cost);
    });

  it('is off by half a cent at most, whatever the price', () => {
    fc.assert(
      fc.property(fc.nat(100_000), fc.nat(10_000_000), (services, tenThousandths) => {
        const price = `${Math.floor(tenThousandths / 10_000)}.${String(tenThousandths % 10_000).padStart(4, '0')}`;
        const exact = BigInt(services) * BigInt(tenThousandths);
        const off = costOf(services, price) * 100n - exact;
        expect(off >= -49n && off <= 50n).to.equal(true);
      }),
    );
  });
});

describe('the contract in force', () => {
  const contracts = [
    { startsOn: '2026-01-01', price: '1', services: 10 },
    { startsOn: '2026-03-15', price: '2', services: 20 },
  ];
  for (const [date, price] of [
    ['2025-12-31', undefined],
    ['2026-01-01', '1'],
    ['2026-03-14', '1'],
    ['2026-03-15', '2'],
    ['2030-01-01', '2'],
  ] as const)
    it(`on ${date} is ${price ? `that of ${price}` : 'none'}`, () => {
      expect(contractOn(contracts, date)?.price).to.equal(price);
    });
});
