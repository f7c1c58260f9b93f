class CopyRows { public: void Run(); };
