// picture.js PAGE PICTURE: the beginning of a report's page.
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [page_, picture] = process.argv.slice(2), size = { width: 1120, height: 960 };
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
try {
    const page = await browser.newPage({ viewport: size, colorScheme: 'light' });
    await page.goto(pathToFileURL(page_).href);
    await page.waitForFunction(() => document.querySelectorAll('section').length > 3);
    await page.waitForTimeout(500);
    await page.screenshot({ path: picture, clip: { x: 0, y: 0, ...size } });
} finally {
    await browser.close();
}
