/*
 * COIN-OR Clp by its C interface. Where it is a shared library it is loaded when it is first asked
 * for: with the linear algebra that it brings, that takes longer than everything else that a rank
 * loads, and few processes solve a linear program.
 */
#ifndef PLANNER_SCHEDULERS_OPTIMAL_CLP_H
#define PLANNER_SCHEDULERS_OPTIMAL_CLP_H

#include <Clp_C_Interface.h>

/* Those in use. */
#define CLP_FUNCTIONS(function)                                                                    \
    function(addRows) function(columnLower) function(columnUpper) function(copyinStatus)           \
        function(deleteModel) function(getColSolution) function(getColumnStatus)                   \
            function(getRowStatus) function(initialDualSolve) function(newModel)                   \
                function(numberIterations) function(objective) function(objectiveValue)            \
                    function(primal) function(resize) function(setColumnStatus)                    \
                        function(setLogLevel) function(setMaximumIterations)                       \
                            function(setRowStatus) function(status)

/* The functions by their names without Clp_. */
struct clp {
#define CLP_MEMBER(name) __typeof__(Clp_##name) *(name);
    CLP_FUNCTIONS(CLP_MEMBER)
#undef CLP_MEMBER
};

/* By any thread. NULL: it is not installed where this runs. */
const struct clp *clp_load(void);

#endif
