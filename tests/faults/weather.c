#include "tests/faults/weather.h"

struct weather weather_calm(void)
{
    return (struct weather){.late_s = 1e-6, .latency_s = 1e-6, .eager = SIZE_MAX, .write_s = 1e-6};
}

struct weather weather_fair(void)
{
    return (struct weather){.late_s = 0.01, .latency_s = 1e-4, .eager = SIZE_MAX, .write_s = 1e-3};
}

struct weather weather_draw(void)
{
    /* Faults that were added later have a random stream of their own, so that the other ones stay
     * the same for a seed. */
    struct dice *dice = &world.dice, own = {world.dice.state ^ 0x70617274u};
    struct weather weather = weather_fair();
    weather.latency_s = dice_about(dice, 1e-5, 0.01);
    weather.late = dice_hit(dice, 0.5) ? dice_about(dice, 0.001, 0.3) : 0;
    weather.late_s = dice_about(dice, 0.02, 3);
    weather.doubled = dice_hit(dice, 0.25) ? dice_about(dice, 0.003, 0.1) : 0;
    weather.damaged = dice_hit(dice, 0.15) ? dice_about(dice, 0.003, 0.1) : 0;
    weather.eager =
        dice_hit(dice, 0.5) ? 100 : SIZE_MAX; /* most messages travel until they are received */
    weather.unwritten = dice_hit(dice, 0.25) ? dice_about(dice, 0.001, 0.05) : 0;
    weather.write_s = dice_about(dice, 1e-5, 0.05);
    weather.cleanup = dice_hit(dice, 0.2);
    weather.power = dice_hit(dice, 0.2);
    weather.parting = dice_hit(&own, 0.2) ? 0.3 : 0;
    return weather;
}
