// OpenCV: filter2D for every filter, cv::max over them, as its users would write it.
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include <vector>

#include "tests/bench/kernel/bench.h"

namespace
{

struct state {
    int threads;
    cv::Mat image, response;
    std::vector<cv::Mat> kernels;
};

void *begin(const work *work, const setting *setting)
{
    auto *self = new state;
    self->threads = setting->threads;
    const auto step = static_cast<size_t>(work->stride) * sizeof(float);
    self->image = cv::Mat(work->edge, work->edge, CV_32F, work->pixels, step).clone();
    for (int i = 0; i < work->count; i++) {
        const bench_filter &filter = work->filters[i];
        self->kernels.push_back(cv::Mat(filter.rows, filter.columns, CV_32F, filter.taps).clone());
    }
    return self;
}

void run(void *opaque, float *result)
{
    auto *self = static_cast<state *>(opaque);
    cv::Mat largest(self->image.rows, self->image.cols, CV_32F, result);
    cv::setNumThreads(self->threads);
    for (size_t i = 0; i < self->kernels.size(); i++) {
        const cv::Mat &kernel = self->kernels[i];
        const cv::Point anchor((kernel.cols - 1) / 2, (kernel.rows - 1) / 2);
        cv::filter2D(self->image, i == 0 ? largest : self->response, CV_32F, kernel, anchor, 0,
                     cv::BORDER_CONSTANT);
        if (i > 0)
            cv::max(largest, self->response, largest);
    }
}

void end(void *opaque)
{
    delete static_cast<state *>(opaque);
}

} // namespace

extern "C" const method method_opencv = {"opencv", begin, run, end, false};
